/** Gas of a creation beside its buckets, and of each bucket. Source: the contract's gas table. */
const CREATION_GAS = 95_000;
const BUCKET_GAS = 24_000;
/** What one transaction may need: half of a block on the chains that are supported. */
const TRANSACTION_GAS_MAX = 16_000_000;
const BUCKETS_A_TRANSACTION = Math.floor((TRANSACTION_GAS_MAX - CREATION_GAS) / BUCKET_GAS);

/** Cuts buckets into as many transactions as they need: the first creates, the others add. */
export function cutIntoTransactions<Bucket>(buckets: readonly Bucket[]): Bucket[][] {
  const transactions = Math.ceil(buckets.length / BUCKETS_A_TRANSACTION);
  return Array.from({ length: transactions }, (_, part) =>
    buckets.slice(part * BUCKETS_A_TRANSACTION, (part + 1) * BUCKETS_A_TRANSACTION),
  );
}

/** What it costs to put a campaign of so many wallets on chain. */
export function estimateCreationGas(wallets: number, bucketSize: number) {
  const buckets = Math.ceil(wallets / bucketSize);
  const transactions = Math.max(1, Math.ceil(buckets / BUCKETS_A_TRANSACTION));
  return { buckets, gas: transactions * CREATION_GAS + buckets * BUCKET_GAS, transactions };
}
