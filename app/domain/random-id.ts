import { randomInt } from "node:crypto";

const SHORT_ID = { alphabet: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", length: 4 };
/** Without vowels, so that it spells no words, and without look-alike letters and digits. */
const CAMPAIGN_CODE = { alphabet: "23456789BCDFGHJKMNPQRSTVWXYZ", length: 5 };

function pick({ alphabet, length }: typeof SHORT_ID): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** Makes a point system's short identifier: four random characters, which may be taken already. */
export function generateShortId(): string {
  return pick(SHORT_ID);
}

/** Makes a campaign's id: `CMP-` and five random characters, which may be taken already. */
export function generateCampaignId(): string {
  return `CMP-${pick(CAMPAIGN_CODE)}`;
}
