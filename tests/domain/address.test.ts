import { expect, test } from "vitest";
import { findPastedAddress } from "../../app/domain/address";

const ADDRESS = "0x52908400098527886e0f7030069857d2e4169ee7";
const MIXED = "0x52908400098527886E0F7030069857D2E4169EE7";

test.each([
  ADDRESS,
  `  ${MIXED}\n`,
  `ethereum:${MIXED}`,
  `ethereum:pay-${MIXED}@8453`,
  `ethereum:${MIXED}@1/transfer?address=0x0&uint256=1`,
  `https://etherscan.io/address/${MIXED}`,
  `https://basescan.org/address/${MIXED}#tokentxns`,
  `http://localhost:4000/address/${MIXED}?tab=1`,
])("%s is the wallet's address", (text) => {
  expect(findPastedAddress(text)).toBe(ADDRESS);
});

test.each([
  "",
  "0x",
  `${ADDRESS}0`,
  ADDRESS.slice(0, -1),
  `ethereum:${ADDRESS}ff`,
  `https://etherscan.io/tx/${ADDRESS}00000000000000000000000`,
  `https://etherscan.io/token/${ADDRESS}`,
  `ftp://etherscan.io/address/${ADDRESS}`,
  `javascript:alert(1)//address/${ADDRESS}`,
  `${ADDRESS} ${ADDRESS}`,
  `ethereum:${"0x".repeat(100_000)}`,
])("%s is none", (text) => {
  expect(findPastedAddress(text)).toBeNull();
});
