import { getAddress } from "viem";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { checkReceiver } from "../../../app/domain/claims/receiver";

const own = {
  wallet: `0x${"a1".repeat(20)}`,
  token: `0x${"b2".repeat(20)}`,
  contract: `0x${"c3".repeat(20)}`,
} as const satisfies Record<string, Address>;
const friend = "0x5aeda56215b167893e80b4fe645ba6d5bab767de";

test("an address is taken in lower, upper and checksummed case, and told with its checksum", () => {
  const checksummed = getAddress(friend);
  const upper = `0x${friend.slice(2).toUpperCase()}`;
  for (const [text, hasChecksum] of [
    [friend, false],
    [upper, false],
    [` ${checksummed} `, true],
  ] as const) {
    expect(checkReceiver(text, own)).toEqual({ address: friend, checksummed, hasChecksum });
  }
});

test("a mistyped letter is noticed by the checksum", () => {
  const letters = [...getAddress(friend)];
  const place = letters.findIndex((letter) => /[A-F]/.test(letter));
  letters[place] = letters[place]?.toLowerCase() ?? "";
  expect(checkReceiver(letters.join(""), own)).toMatchObject({
    problem: expect.stringContaining("checksum"),
  });
});

test("the token, the contract, the wallet itself, nobody and no address are refused", () => {
  for (const [text, problem] of [
    [own.token, "the token itself"],
    [getAddress(own.contract), "the campaign contract"],
    [own.wallet, "the wallet itself"],
    [`0x${"0".repeat(40)}`, "Nobody owns"],
    ["friend.eth", "0x and 40"],
    ["", "0x and 40"],
    [`${friend}0`, "0x and 40"],
  ] as const) {
    expect(checkReceiver(text, own), text).toMatchObject({
      problem: expect.stringContaining(problem),
    });
  }
  expect(checkReceiver(own.token, { ...own, token: null })).toMatchObject({ address: own.token });
});
