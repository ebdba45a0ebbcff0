// The figures are those of the contract's prototype: design/campaign-contract.md.

const BUCKET_SIZE_MIN = 128;
const GAS_A_TRANSACTION_MAX = 16_000_000;
const CREATION_GAS = 119_000;
const BUCKET_GAS = 24_000;

/** Wallets a tree that are offered: powers of two, up to one tree for all. */
export function listBucketSizes(wallets: number): number[] {
  const sizes = [BUCKET_SIZE_MIN];
  for (let size = BUCKET_SIZE_MIN; size < wallets && size < 1_048_576; ) {
    size *= 2;
    sizes.push(size);
  }
  return sizes;
}

/** The smallest size whose creation fits one transaction: claims are cheapest then. */
export function chooseBucketSize(wallets: number): number {
  const sizes = listBucketSizes(wallets);
  return (
    sizes.find((size) => estimateCreationGas(wallets, size).transactions === 1) ??
    sizes.at(-1) ??
    BUCKET_SIZE_MIN
  );
}

/** What creating the airdrop on chain costs the operator. */
export function estimateCreationGas(wallets: number, bucketSize: number) {
  const buckets = Math.max(1, Math.ceil(wallets / bucketSize));
  const gas = CREATION_GAS + (buckets - 1) * BUCKET_GAS;
  return { buckets, gas, transactions: Math.ceil(gas / GAS_A_TRANSACTION_MAX) };
}

/** What a claim costs a holder: one who has none of the token yet, and one who has some. */
export function estimateClaimGas(bucketSize: number, wallets: number) {
  const depth = Math.ceil(Math.log2(Math.max(2, Math.min(bucketSize, wallets))));
  const mark = bucketSize > BUCKET_SIZE_MIN ? 2_300 : 0;
  const newHolderGas = Math.round(63_000 + depth * 830 + mark);
  return { newHolderGas, holderGas: newHolderGas - 17_100 };
}
