// The gas that an airdrop costs on chain, for the operator to compare bucket sizes. Measured with
// the contract on an EVM chain with today's gas schedule (docs/contract.md#gas). On
// chains with another schedule (Somnia) the wallet estimates the gas before anything is sent.

/** The most gas that an operator's transaction may take: below the block limit of every chain. */
export const CREATION_GAS_MAX = 16_000_000;

const BUCKET_SIZE_MIN = 128;
/** The largest bucket that the database allows. */
const BUCKET_SIZE_MAX = 2 ** 20;

/** The gas of a creation with one bucket; also enough for a transaction that adds to an airdrop. */
const FIRST_BUCKET_GAS = 142_000;
const FURTHER_BUCKET_GAS = 24_000;
const APPROVAL_GAS = 46_000;

/** The gas of a claim from a bucket of 128, by a wallet that holds none of the token yet. */
const CLAIM_GAS = 69_046;
const CLAIM_DEPTH = 7;
const LEVEL_GAS = 635;
/**
 * The gas that is added beyond 128 wallets, where the claimed marks take storage words of their
 * own.
 */
const OWN_MARKS_GAS = 5_163;
/** The gas that a wallet saves when it already holds some of the token. */
const HELD_GAS = 17_100;

const BUCKETS_A_TRANSACTION =
  1 + Math.floor((CREATION_GAS_MAX - FIRST_BUCKET_GAS) / FURTHER_BUCKET_GAS);

/** The chains that price storage higher than Ethereum does. */
export const SOMNIA_CHAINS: readonly number[] = [5031, 50312];
/** 662 buckets took 130 M gas there. */
const SOMNIA_BUCKET_GAS = 200_000;
const SOMNIA_BUCKETS_A_TRANSACTION = Math.floor(CREATION_GAS_MAX / SOMNIA_BUCKET_GAS);

/** The cost of creating an airdrop. */
export interface CreationCost {
  readonly buckets: number;
  /** The gas of all its transactions, the token's approval included. */
  readonly gas: number;
  /** The creation and the additions after it, without the approval. */
  readonly transactions: number;
}

/** The cost of one claim for a wallet. */
export interface ClaimCost {
  /** For a wallet that holds none of the token before. */
  readonly newHolderGas: number;
  readonly holderGas: number;
}

/**
 * Chooses the smallest bucket size whose creation fits one transaction: small buckets make claims
 * cheap.
 */
export function chooseBucketSize(wallets: number): number {
  const sizes = listBucketSizes(wallets);
  const fitting = sizes.find((size) => estimateCreationGas(wallets, size).transactions === 1);
  return fitting ?? BUCKET_SIZE_MAX;
}

/** Lists the bucket sizes to choose from: powers of two from 128 up to one bucket for all. */
export function listBucketSizes(wallets: number): number[] {
  const sizes = [BUCKET_SIZE_MIN];
  for (let size = BUCKET_SIZE_MIN; size < wallets && size < BUCKET_SIZE_MAX; size *= 2) {
    sizes.push(size * 2);
  }
  return sizes;
}

/**
 * Estimates the gas of creating an airdrop.
 * @param wallets 1 or more
 */
export function estimateCreationGas(wallets: number, bucketSize: number): CreationCost {
  const buckets = Math.ceil(wallets / bucketSize);
  const transactions = Math.ceil(buckets / BUCKETS_A_TRANSACTION);
  const gas =
    APPROVAL_GAS + transactions * FIRST_BUCKET_GAS + (buckets - transactions) * FURTHER_BUCKET_GAS;
  return { buckets, gas, transactions };
}

/** Estimates the gas of a claim from a full bucket, or from the only one. */
export function estimateClaimGas(bucketSize: number, wallets: number): ClaimCost {
  const leaves = Math.max(1, Math.min(bucketSize, wallets));
  const depth = Math.ceil(Math.log2(leaves));
  const newHolderGas =
    CLAIM_GAS + (depth - CLAIM_DEPTH) * LEVEL_GAS + (leaves > BUCKET_SIZE_MIN ? OWN_MARKS_GAS : 0);
  return { newHolderGas, holderGas: newHolderGas - HELD_GAS };
}

/**
 * Groups an airdrop's buckets by transaction: the first transaction creates the airdrop, the others
 * add to it. On Somnia, a transaction takes fewer of them.
 */
export function cutIntoTransactions<Bucket>(
  buckets: readonly Bucket[],
  chainId: number,
): Bucket[][] {
  const size = SOMNIA_CHAINS.includes(chainId)
    ? SOMNIA_BUCKETS_A_TRANSACTION
    : BUCKETS_A_TRANSACTION;
  return Array.from({ length: Math.ceil(buckets.length / size) }, (_, i) =>
    buckets.slice(i * size, (i + 1) * size),
  );
}
