import { describe, expect, test } from "vitest";
import {
  CREATION_GAS_MAX,
  chooseBucketSize,
  cutIntoTransactions,
  estimateClaimGas,
  estimateCreationGas,
  listBucketSizes,
} from "../../../app/domain/campaigns/cost";

describe("chooseBucketSize", () => {
  test.each([
    [1, 128],
    [128, 128],
    [84_000, 128],
    [90_000, 256],
    [1_000_000, 2_048],
    [10_000_000, 16_384],
  ])("%i wallets: %i, the smallest whose creation fits one transaction", (wallets, size) => {
    expect(chooseBucketSize(wallets)).toBe(size);
    expect(estimateCreationGas(wallets, size).transactions).toBe(1);
    expect(estimateCreationGas(wallets, size).gas).toBeLessThanOrEqual(CREATION_GAS_MAX);
    if (size > 128) expect(estimateCreationGas(wallets, size / 2).transactions).toBe(2);
  });
});

test("the sizes to choose from are powers of two, from 128 to one bucket for all", () => {
  expect(listBucketSizes(1)).toEqual([128]);
  expect(listBucketSizes(128)).toEqual([128]);
  expect(listBucketSizes(1_000)).toEqual([128, 256, 512, 1_024]);
  expect(listBucketSizes(10_000_000).at(-1)).toBe(2 ** 20);
});

test("creation costs what was measured, the approval included", () => {
  expect(estimateCreationGas(1_024, 128)).toEqual({
    buckets: 8,
    gas: 310_000 + 46_000,
    transactions: 1,
  });
  expect(estimateCreationGas(1_024, 1_024).gas).toBe(142_000 + 46_000);
});

test("a claim costs what was measured, within 2 %", () => {
  const measured: [number, number, number, number][] = [
    [128, 1_024, 69_046, 51_946],
    [1_024, 1_024, 76_136, 59_024],
    [2 ** 20, 2 ** 20, 82_472, 65_360],
  ];
  for (const [size, wallets, newHolderGas, holderGas] of measured) {
    const cost = estimateClaimGas(size, wallets);
    expect(Math.abs(cost.newHolderGas / newHolderGas - 1)).toBeLessThan(0.02);
    expect(Math.abs(cost.holderGas / holderGas - 1)).toBeLessThan(0.02);
  }
});

test("a bucket that is not full costs as a smaller one", () => {
  expect(estimateClaimGas(2_048, 100)).toEqual(estimateClaimGas(128, 128));
});

test("buckets are cut into transactions in their order, none lost, none over the limit", () => {
  const buckets = Array.from({ length: 7_813 }, (_, i) => i);
  const cut = cutIntoTransactions(buckets, 8453);
  expect(cut.flat()).toEqual(buckets);
  expect(cut).toHaveLength(estimateCreationGas(1_000_000, 128).transactions);
  expect(cutIntoTransactions([], 8453)).toEqual([]);
  // Somnia prices storage higher: 662 buckets took 130 M gas there.
  const somnia = cutIntoTransactions(buckets, 5031);
  expect(somnia.flat()).toEqual(buckets);
  const most = Math.max(...somnia.map(({ length }) => length));
  expect(most * (130_000_000 / 662)).toBeLessThanOrEqual(CREATION_GAS_MAX);
});
