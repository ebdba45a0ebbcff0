import { expect, test } from "vitest";
import { WALLET_APPS } from "../../../app/components/wallet/wallet-apps";

const PAGE = "https://points.example.com/claim/harbour?wallet=holder.eth&from=a%20b";
const PAIRING = "wc:7f6e504bfad60b485450578e05678ed3@2?relay-protocol=irn&symKey=587d54";

/** Checks whether a link has a text whole, however often it was encoded. */
function holds(link: string, text: string): boolean {
  for (let decoded = link; ; ) {
    if (decoded.includes(text)) return true;
    const next = decodeURIComponent(decoded);
    if (next === decoded) return false;
    decoded = next;
  }
}

test.each(WALLET_APPS)(
  "a link to the app of $name has the whole page, or the whole pairing, and is https",
  ({ toPageLink, toPairingLink }) => {
    const page = toPageLink?.(PAGE);
    const pairing = toPairingLink?.(PAIRING);
    for (const link of [page, pairing]) if (link) expect(new URL(link).protocol).toBe("https:");
    if (page) expect(holds(page, PAGE.replace("https://", ""))).toBe(true);
    if (pairing) expect(new URL(pairing).searchParams.get("uri")).toBe(PAIRING);
    expect(page ?? pairing).toBeDefined();
  },
);
