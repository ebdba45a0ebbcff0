import { randomInt } from "node:crypto";

/** Without letters and digits that are taken for each other, and without vowels: no words. */
const ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ";
const LENGTH = 5;

/** Makes a campaign's id: `CMP-` and five random characters, which may be taken already. */
export function generateCampaignId(): string {
  const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `CMP-${code.join("")}`;
}
