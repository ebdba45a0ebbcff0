// What an airdrop costs on chain, in gas, for the operator to compare bucket sizes by. Measured with the
// contract on an EVM chain of today's prices (docs/decisions/027-campaign-build.md); chains that price otherwise
// (Somnia) are estimated by the wallet before anything is sent.

/** What an operator's transaction may take: below the limit of a block on every chain. */
export const CREATION_GAS_MAX = 16_000_000;

const BUCKET_SIZE_MIN = 128;
/** As the database allows. */
const BUCKET_SIZE_MAX = 2 ** 20;

/** A creation with one bucket; also enough for a transaction that adds to an airdrop. */
const FIRST_BUCKET_GAS = 119_000;
const FURTHER_BUCKET_GAS = 24_000;
const APPROVAL_GAS = 46_000;

/** A claim from a bucket of 128, by a wallet that has none of the token yet. */
const CLAIM_GAS = 68_806;
const CLAIM_DEPTH = 7;
const LEVEL_GAS = 635;
/** Beyond 128 wallets the marks have words of their own. */
const OWN_MARKS_GAS = 5_163;
/** What a wallet saves that has some of the token already. */
const HELD_GAS = 17_100;

const BUCKETS_A_TRANSACTION =
  1 + Math.floor((CREATION_GAS_MAX - FIRST_BUCKET_GAS) / FURTHER_BUCKET_GAS);

/** What it costs to create an airdrop. */
export interface CreationCost {
  readonly buckets: number;
  /** Of all its transactions, the token's approval included. */
  readonly gas: number;
  /** The creation, and what is added after it; without the approval. */
  readonly transactions: number;
}

/** What it costs a wallet to claim. */
export interface ClaimCost {
  /** With none of the token before. */
  readonly newHolderGas: number;
  readonly holderGas: number;
}

/** The smallest bucket size whose creation fits one transaction: small buckets make claims cheap. */
export function chooseBucketSize(wallets: number): number {
  const sizes = listBucketSizes(wallets);
  const fitting = sizes.find((size) => estimateCreationGas(wallets, size).transactions === 1);
  return fitting ?? BUCKET_SIZE_MAX;
}

/** What an operator may choose from: powers of two from 128 up to one bucket for all. */
export function listBucketSizes(wallets: number): number[] {
  const sizes = [BUCKET_SIZE_MIN];
  for (let size = BUCKET_SIZE_MIN; size < wallets && size < BUCKET_SIZE_MAX; size *= 2) {
    sizes.push(size * 2);
  }
  return sizes;
}

/** @param wallets 1 or more */
export function estimateCreationGas(wallets: number, bucketSize: number): CreationCost {
  const buckets = Math.ceil(wallets / bucketSize);
  const transactions = Math.ceil(buckets / BUCKETS_A_TRANSACTION);
  const gas =
    APPROVAL_GAS + transactions * FIRST_BUCKET_GAS + (buckets - transactions) * FURTHER_BUCKET_GAS;
  return { buckets, gas, transactions };
}

/** The claim of a wallet in a full bucket, or in the only one. */
export function estimateClaimGas(bucketSize: number, wallets: number): ClaimCost {
  const leaves = Math.max(1, Math.min(bucketSize, wallets));
  const depth = Math.ceil(Math.log2(leaves));
  const newHolderGas =
    CLAIM_GAS + (depth - CLAIM_DEPTH) * LEVEL_GAS + (leaves > BUCKET_SIZE_MIN ? OWN_MARKS_GAS : 0);
  return { newHolderGas, holderGas: newHolderGas - HELD_GAS };
}

/** Cuts an airdrop's buckets into what one transaction takes: the first creates it, the others add. */
export function cutIntoTransactions<Bucket>(buckets: readonly Bucket[]): Bucket[][] {
  return Array.from({ length: Math.ceil(buckets.length / BUCKETS_A_TRANSACTION) }, (_, i) =>
    buckets.slice(i * BUCKETS_A_TRANSACTION, (i + 1) * BUCKETS_A_TRANSACTION),
  );
}
