import { ContractFunctionRevertedError, encodeErrorResult, UserRejectedRequestError } from "viem";
import { expect, test } from "vitest";
import { listFundingCalls } from "../../../app/domain/campaigns/calls";
import { campaignAbi } from "../../../app/domain/campaigns/contract";
import { cutIntoTransactions, estimateCreationGas } from "../../../app/domain/campaigns/cost";
import { describeChainError } from "../../../app/domain/campaigns/errors";
import { NATIVE_COIN } from "../../../app/domain/campaigns/native-coin";
import { toCampaignRef } from "../../../app/domain/campaigns/ref";
import { createSafeBatch, getChecksum } from "../../../app/domain/campaigns/safe-batch";

const ADMIN = `0x${"a1".repeat(20)}` as const;
const ROOT = `0x${"0b".repeat(32)}` as const;

test("a reward's reference is its UUID, left-aligned in 32 bytes", () => {
  expect(toCampaignRef("01234567-89ab-4def-8123-456789ABCDEF")).toBe(
    `0x0123456789ab4def8123456789abcdef${"0".repeat(32)}`,
  );
});

test("a batch has the checksum that Safe's builder gives the same file", () => {
  // A file that the builder wrote.
  const file = JSON.parse(
    '{"version":"1.0","chainId":"1","createdAt":1750255509666,"meta":{"name":"Transactions Batch","description":"","txBuilderVersion":"1.18.0","createdFromSafeAddress":"0x7eC991e1648B7F1d5fa91ae3688C9f36a5CA6C8B","createdFromOwnerAddress":""},"transactions":[{"to":"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48","value":"0","data":null,"contractMethod":{"inputs":[{"name":"to","type":"address","internalType":"address"},{"name":"value","type":"uint256","internalType":"uint256"}],"name":"transfer","payable":false},"contractInputsValues":{"to":"0x116Da30d890533516f2683731F9Bd167807448b8","value":"1000000"}}]}',
  );
  const checksum = "0xf1966baf2cdc7c68774e5be291e81549cc7438efbceccaad0003bb12f8d30baf";
  expect(getChecksum(file)).toBe(checksum);
  expect(getChecksum({ ...file, meta: { ...file.meta, name: "Another", checksum } })).toBe(
    checksum,
  );
  expect(getChecksum({ ...file, chainId: "10" })).not.toBe(checksum);
});

test("a token is approved for exactly what the buckets hold; the chain's coin goes along instead", () => {
  const terms = {
    contract: `0x${"c0".repeat(20)}`,
    token: `0x${"70".repeat(20)}`,
    deadlineSeconds: 0,
    admin: ADMIN,
    ref: toCampaignRef("01234567-89ab-4def-8123-456789abcdef"),
  } as const;
  const buckets = [{ root: ROOT, totalWei: 5n }];
  const calls = listFundingCalls(terms, null, buckets);
  expect(calls.map(({ to, value }) => [to, value])).toEqual([
    [terms.token, 0n],
    [terms.contract, 0n],
  ]);
  expect(calls[0]?.data.endsWith("5")).toBe(true);
  const native = listFundingCalls({ ...terms, token: NATIVE_COIN }, 7n, buckets);
  expect(native.map(({ to, value }) => [to, value])).toEqual([[terms.contract, 5n]]);
  const batch = createSafeBatch({
    chainId: 8453,
    safe: ADMIN,
    name: "Create",
    description: "",
    createdAt: new Date(0),
    calls,
  });
  expect(batch.meta.checksum).toBe(getChecksum(batch));
});

test("buckets are cut into transactions without a loss, in their order", () => {
  const buckets = Array.from({ length: 7_813 }, (_, i) => i);
  const parts = cutIntoTransactions(buckets, 8453);
  expect(parts.flat()).toEqual(buckets);
  expect(parts).toHaveLength(estimateCreationGas(1_000_000, 128).transactions);
  expect(cutIntoTransactions([], 8453)).toEqual([]);
});

test("what went wrong is said in words, however deep it lies", () => {
  const revert = new ContractFunctionRevertedError({
    abi: campaignAbi,
    functionName: "cancel",
    data: encodeErrorResult({ abi: campaignAbi, errorName: "NotAdmin" }),
  });
  expect(describeChainError(new Error("failed", { cause: revert }))).toContain(
    "Only the campaign's admin",
  );
  const unknown = new ContractFunctionRevertedError({
    abi: campaignAbi,
    functionName: "create",
    data: "0x7939f424",
  });
  expect(describeChainError(unknown)).toContain("The token refused the payment");
  const rejected = new UserRejectedRequestError(new Error("no"));
  expect(describeChainError(rejected)).toContain("You rejected the request");
  expect(describeChainError({ cause: { code: 4001 } })).toContain("You rejected the request");
  expect(describeChainError(new Error("insufficient funds for gas"))).toContain(
    "the amount and gas",
  );
  expect(describeChainError(new Error("odd"))).toBe("The transaction failed: odd");
  expect(describeChainError(undefined)).toContain("no reason");
});
