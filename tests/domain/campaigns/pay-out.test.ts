import { encodeAbiParameters, encodeEventTopics, type Hex, type Log, padHex } from "viem";
import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { campaignAbi } from "../../../app/domain/campaigns/contract";
import {
  describeSkip,
  distributeCall,
  isMarked,
  readPayOut,
} from "../../../app/domain/campaigns/pay-out";

const contract: Address = `0x${"c3".repeat(20)}`;
const here = { contract, onchainId: 7n };
const account = (n: number) => padHex(`0x${n.toString(16)}`, { size: 20 }) as Address;
const word = (n: number) => padHex(`0x${n.toString(16)}`, { size: 32 });

function skip(n: number, reason: Hex, id = 7n, address = contract): Log {
  const topics = encodeEventTopics({
    abi: campaignAbi,
    eventName: "Skipped",
    args: { id, account: account(n) },
  });
  const types = [{ type: "uint256" }, { type: "bytes4" }] as const;
  return { address, topics, data: encodeAbiParameters(types, [5n, reason]) } as unknown as Log;
}

function claim(n: number, id = 7n, address = contract): Log {
  const topics = encodeEventTopics({
    abi: campaignAbi,
    eventName: "Claimed",
    args: { id, account: account(n) },
  });
  const types = [{ type: "uint256" }, { type: "bytes32" }] as const;
  return { address, topics, data: encodeAbiParameters(types, [5n, word(1)]) } as unknown as Log;
}

test("paid, overtaken and skipped payments are told apart; other logs do not count", () => {
  const refused = "0xb12d13eb"; // ETHTransferFailed()
  const already = "0x646cf558"; // AlreadyClaimed()
  const other: Address = `0x${"d4".repeat(20)}`;
  const logs = [
    claim(1),
    skip(2, refused),
    claim(3),
    skip(4, already),
    claim(5, 8n),
    skip(6, refused, 7n, other),
    claim(7, 7n, other),
  ];
  expect(readPayOut(logs, here)).toEqual({
    paid: 2,
    overtaken: 1,
    skipped: [{ account: account(2), amountWei: "5", reason: refused }],
  });
  expect(describeSkip(refused)).toBe("The wallet refused the coin.");
  expect(describeSkip("0x12345678")).toBe("The token or the wallet refused the payment.");
});

test("a payment has as much gas on Somnia as its prices need", () => {
  const payments = [
    {
      account: account(1),
      amountWei: "5",
      merkleProof: [word(1)],
      root: word(2),
      bucket: 0,
      leafIndex: 0,
    },
  ];
  const gasOf = (chainId: number) => distributeCall({ ...here, chainId }, payments).args[1];
  expect(gasOf(5031)).toBeGreaterThan(gasOf(8453));
  expect(distributeCall({ ...here, chainId: 8453 }, payments).args[0]).toEqual([
    { account: account(1), id: 7n, amount: 5n, proof: [word(1)] },
  ]);
});

test("a leaf's mark is found in its word", () => {
  const marks = (1n << 3n) | (1n << 255n);
  expect([3, 255, 259].map((index) => isMarked(marks, index))).toEqual([true, true, true]);
  expect([0, 4, 254, 256].some((index) => isMarked(marks, index))).toBe(false);
});
