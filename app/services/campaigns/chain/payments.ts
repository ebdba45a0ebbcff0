import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { encodeFunctionData, toHex } from "viem";
import { requireDeployment } from "../../../chain/campaigns/deployment";
import { withDatabase } from "../../../db/client";
import { distributions, merkleBuckets } from "../../../db/schema/rewards";
import type { Address } from "../../../domain/address";
import { distributeCall, PAYMENTS_MAX, type Payment } from "../../../domain/campaigns/pay-out";
import { createSafeBatch } from "../../../domain/campaigns/safe-batch";
import { Failure } from "../../../domain/failure";
import type { Editor } from "../../access/members";
import type { RewardKey } from "../../trees/buckets";
import { getMerkleProof, isBucketOfShare, isProvable } from "../../trees/proofs";
import { selectChainCampaign, toRewardKey } from "./page";

/** The calls of `distribute` in one file for a Safe, which executes them in one transaction. */
const CALLS_A_FILE = 3;
const FILES_MAX = 10;

/** A place in the order of a campaign's leaves. */
export interface LeafCursor {
  readonly bucket: number;
  readonly leafIndex: number;
}

/**
 * Lists the next shares that are funded and not claimed as far as this service knows, with their
 * proofs, in the order in which paying out takes the least gas. Shares of nothing are left out.
 * @param after the place after which they are; null for the first ones
 * @throws {Failure} `not_found`, `campaign_not_built` unless it is active, `campaign_over` after its deadline
 */
export async function listPayments(
  member: Editor,
  rewardId: string,
  after: LeafCursor | null,
): Promise<Payment[]> {
  const key = toRewardKey(member, rewardId);
  await requireOpen(key);
  return readPayments(key, after, PAYMENTS_MAX);
}

/**
 * Makes the next shares to pay out as a file for the admin's Safe.
 * @throws {Failure} `not_found` when there are none, `campaign_not_built`, `campaign_over`,
 *   `contract_absent`, `contract_different`, `chain_not_configured`, `chain_unavailable`
 */
export async function createPaymentsBatch(
  member: Editor,
  rewardId: string,
  after: LeafCursor | null,
) {
  const key = toRewardKey(member, rewardId);
  const { chainId, contract, onchainId, admin, name } = await requireOpen(key);
  const payments = await readPayments(key, after, PAYMENTS_MAX * CALLS_A_FILE);
  if (payments.length === 0 || admin === null) throw new Failure("not_found");
  await requireDeployment(chainId, contract);
  const calls = Array.from({ length: Math.ceil(payments.length / PAYMENTS_MAX) }, (_, i) => {
    const some = payments.slice(i * PAYMENTS_MAX, (i + 1) * PAYMENTS_MAX);
    const call = distributeCall({ chainId, contract, onchainId }, some);
    return { to: contract, value: 0n, data: encodeFunctionData(call) };
  });
  return createSafeBatch({
    chainId,
    safe: admin,
    name: `Pay out ${name}`,
    description: `${payments.length} wallets, each its own share. A share that is paid already is skipped.`,
    createdAt: new Date(),
    calls,
  });
}

/** Counts the shares that can be paid out, and lists the files in which a Safe pays the first ones. */
export async function countPayments(member: Editor, rewardId: string) {
  const { pointSystemId, rewardId: id } = toRewardKey(member, rewardId);
  const size = PAYMENTS_MAX * CALLS_A_FILE;
  return withDatabase(async (db) => {
    const [sums] = await db.execute<{ wallets: number; amountWei: string }>(sql`
      select count(*)::float8 as wallets, coalesce(sum(d.amount_wei), 0)::text as "amountWei"
      from distributions d
      join merkle_buckets b on b.point_system_id = d.point_system_id
        and b.reward_id = d.reward_id and b.bucket = d.bucket and b.funded_at is not null
      where d.point_system_id = ${pointSystemId} and d.reward_id = ${id} and d.claimed_at is null
        and d.amount_wei > 0`);
    const ends = await db.execute<{ bucket: number; leafIndex: number; wallets: number }>(sql`
      select bucket, leaf_index as "leafIndex", n::float8 as wallets from (
        select d.bucket, d.leaf_index, row_number() over (order by d.bucket, d.leaf_index) as n
        from distributions d
        join merkle_buckets b on b.point_system_id = d.point_system_id
          and b.reward_id = d.reward_id and b.bucket = d.bucket and b.funded_at is not null
        where d.point_system_id = ${pointSystemId} and d.reward_id = ${id}
          and d.claimed_at is null and d.amount_wei > 0
        order by d.bucket, d.leaf_index limit ${size * (FILES_MAX - 1)}
      ) counted where n % ${size} = 0 order by n`);
    const wallets = sums?.wallets ?? 0;
    const starts = [null, ...ends.map(({ bucket, leafIndex }) => ({ bucket, leafIndex }))];
    return {
      wallets,
      amountWei: BigInt(sums?.amountWei ?? 0),
      files: starts
        .map((after, i) => ({
          after,
          first: i * size + 1,
          last: Math.min((i + 1) * size, wallets),
        }))
        .filter(({ first }) => first <= wallets),
    };
  });
}

async function requireOpen(key: RewardKey) {
  const campaign = await withDatabase((db) => selectChainCampaign(db, key));
  const { airdropStatus, onchainId, contractAddress, chainId, adminAddress, name } = campaign;
  if (airdropStatus !== "active" || onchainId === null || contractAddress === null) {
    throw new Failure("campaign_not_built");
  }
  // The contract would skip every payment, and the gas would be paid.
  if (campaign.claimDeadline && campaign.claimDeadline.getTime() < Date.now()) {
    throw new Failure("campaign_over");
  }
  return { chainId, contract: contractAddress as Address, onchainId, admin: adminAddress, name };
}

async function readPayments(
  { pointSystemId, rewardId }: RewardKey,
  after: LeafCursor | null,
  limit: number,
): Promise<Payment[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        account: distributions.address,
        amountWei: distributions.amountWei,
        bucket: merkleBuckets.bucket,
        leafIndex: distributions.leafIndex,
        root: merkleBuckets.root,
      })
      .from(distributions)
      .innerJoin(merkleBuckets, and(isBucketOfShare(), isProvable(merkleBuckets)))
      .where(
        and(
          eq(distributions.pointSystemId, pointSystemId),
          eq(distributions.rewardId, rewardId),
          isNull(distributions.claimedAt),
          gt(distributions.amountWei, 0n),
          sql`(${distributions.bucket}, ${distributions.leafIndex})
            > (${after?.bucket ?? -1}::int, ${after?.leafIndex ?? -1}::int)`,
        ),
      )
      .orderBy(asc(distributions.bucket), asc(distributions.leafIndex))
      .limit(limit),
  );
  const payments: Payment[] = [];
  for (const { account, amountWei, bucket, leafIndex, root } of rows) {
    if (!root || leafIndex === null) continue;
    const leaf = { pointSystemId, rewardId, bucket, leafIndex, root: toHex(root) };
    const merkleProof = await getMerkleProof(leaf);
    payments.push({
      account,
      amountWei: amountWei.toString(),
      merkleProof,
      root: leaf.root,
      bucket,
      leafIndex,
    });
  }
  return payments;
}
