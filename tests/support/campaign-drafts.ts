import { and, eq, sql } from "drizzle-orm";
import { inTransaction, withDatabase } from "../../app/db/client";
import { wallets } from "../../app/db/schema/ledger";
import { allocations, distributions, merkleBuckets, rewards } from "../../app/db/schema/rewards";
import { allocate } from "../../app/domain/rewards/allocation";
import { buildMerkleTree, cutIntoBuckets } from "../../app/domain/trees/merkle";
import type { Editor } from "../../app/services/access/members";
import { digestTerms, getCampaign } from "../../app/services/campaigns/campaigns";
import { createDraft, publish } from "../../app/services/campaigns/steps";
import type { CampaignDraft } from "../../app/services/campaigns/terms";

/** Describes a campaign of a chain's native coin, with any part changed. */
export function describeDraft(fields: Partial<CampaignDraft> = {}): CampaignDraft {
  return {
    campaignName: "Season one",
    tokenType: "ethereum",
    chainId: 84532,
    tokenAddress: null,
    typedSymbol: "",
    typedDecimals: null,
    totalAmount: "1000.5",
    minPoints: 1,
    maxPoints: null,
    claimDeadline: null,
    deadlineTimeZone: null,
    ...fields,
  };
}

/** Creates and publishes a draft. */
export async function createActive(member: Editor, fields: Partial<CampaignDraft> = {}) {
  const { id, campaignId } = await createDraft(member, describeDraft(fields));
  await publish(member, id, digestTerms(await getCampaign(member, id)));
  return { id, campaignId };
}

/** Builds a campaign's queued split at once; the worker does it step by step. */
export async function buildSplit(member: Editor, id: string, bucketSize = 128): Promise<void> {
  const campaign = await getCampaign(member, id);
  const round = campaign.rounds.at(-1);
  if (round?.status !== "queued") throw new Error("Nothing is queued");
  const { pointSystemId } = member;
  const { minPoints, maxPoints } = campaign;
  await inTransaction(async (tx) => {
    const given = await tx
      .select({ address: distributions.address })
      .from(distributions)
      .where(and(eq(distributions.pointSystemId, pointSystemId), eq(distributions.rewardId, id)));
    const has = new Set(given.map(({ address }) => address));
    const all = await tx
      .select({ address: wallets.address, points: wallets.points })
      .from(wallets)
      .where(and(eq(wallets.pointSystemId, pointSystemId), eq(wallets.isBlacklisted, false)));
    const entrants = all.filter(({ address }) => !has.has(address));
    const points = new Map(entrants.map((one) => [one.address, one.points]));
    const terms = { totalWei: round.totalAmountWei, minPoints, maxPoints };
    const shares = Array.from(allocate(entrants, terms), ([address, amountWei]) => ({
      address,
      amountWei,
    }));
    const [last] = await tx
      .select({ next: sql<number>`coalesce(max(bucket) + 1, 0)` })
      .from(merkleBuckets)
      .where(and(eq(merkleBuckets.pointSystemId, pointSystemId), eq(merkleBuckets.rewardId, id)));
    let totalWeight = 0n;
    for (const [i, leaves] of cutIntoBuckets(shares, bucketSize).entries()) {
      const bucket = (last?.next ?? 0) + i;
      await tx.insert(merkleBuckets).values({
        pointSystemId,
        rewardId: id,
        bucket,
        round: round.round,
        root: Buffer.from(buildMerkleTree(leaves).root.slice(2), "hex"),
        totalAmountWei: leaves.reduce((sum, { amountWei }) => sum + amountWei, 0n),
      });
      for (const [leafIndex, { address, amountWei }] of leaves.entries()) {
        const own = points.get(address) ?? 0;
        totalWeight += BigInt(maxPoints === null ? own : Math.min(own, maxPoints));
        await tx.insert(distributions).values({
          pointSystemId,
          rewardId: id,
          address,
          amountWei,
          points: own,
          bucket,
          leafIndex,
          round: round.round,
        });
      }
    }
    await tx
      .update(allocations)
      .set({
        status: "built",
        bucketSize,
        snapshotAt: sql`now()`,
        wallets: shares.length,
        totalWeight,
        builtAt: sql`now()`,
      })
      .where(isRound(member, id, round.round));
  });
}

/** Makes a campaign's last split fail. */
export async function failSplit(member: Editor, id: string, failure: string): Promise<void> {
  const { rounds } = await getCampaign(member, id);
  await withDatabase((db) =>
    db
      .update(allocations)
      .set({ status: "failed", failure })
      .where(isRound(member, id, rounds.at(-1)?.round ?? 0)),
  );
}

/** Stores a campaign's airdrop as if it were on chain. */
export async function distribute(
  { pointSystemId }: Editor,
  id: string,
  { onchainId, contractAddress }: { onchainId: bigint; contractAddress: `0x${string}` },
): Promise<void> {
  await inTransaction(async (tx) => {
    await tx.execute(sql`
        update airdrops set status = 'active', onchain_id = ${onchainId.toString()}::numeric,
          contract_address = decode(${contractAddress.slice(2)}, 'hex')
        where point_system_id = ${pointSystemId} and reward_id = ${id}`);
    await tx
      .update(rewards)
      .set({ status: "distributed", distributedAt: sql`now()` })
      .where(and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.id, id)));
  });
}

function isRound({ pointSystemId }: Editor, id: string, round: number) {
  return and(
    eq(allocations.pointSystemId, pointSystemId),
    eq(allocations.rewardId, id),
    eq(allocations.round, round),
  );
}
