import { randomInt } from "node:crypto";

/** The characters of an id: none that look alike, and no vowels, so that no words appear. */
const ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ";
const LENGTH = 5;

/** Makes a campaign's id: `CMP-` and five random characters, which may be taken already. */
export function generateCampaignId(): string {
  const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `CMP-${code.join("")}`;
}
