import { asc, eq, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { replicatedQuery } from "../../db/replicated";
import { tierCursors, tiers } from "../../db/schema/progress";
import type { Address } from "../../domain/address";
import { findTier, type Tier } from "../../domain/progress/tier";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { findWalletPoints } from "../ledger/append";
import { findPrimaries } from "../ledger/primaries";
import { writeLedger } from "../ledger/write-ledger";

const columns = { name: tiers.name, pointsMin: tiers.pointsMin, color: tiers.color };

const selectTiers = replicatedQuery("reads", (db) =>
  db
    .select(columns)
    .from(tiers)
    .where(eq(tiers.pointSystemId, sql.placeholder("pointSystemId")))
    .orderBy(asc(tiers.pointsMin))
    .prepare("list_tiers"),
);

/** Lists the tiers of a point system, the lowest first. */
export function listTiers(pointSystemId: string): Promise<Tier[]> {
  return selectTiers({ pointSystemId });
}

/**
 * Adds the tier to each standing. A tier goes by all points, on every board.
 * @param isAllTime whether the standings have the points of the all-time board
 */
export async function addTiers<Standing extends { address: Address; points: number }>(
  pointSystemId: string,
  standings: readonly Standing[],
  isAllTime: boolean,
): Promise<(Standing & { readonly tier: Tier | null })[]> {
  const known = await listTiers(pointSystemId);
  const isAsked = !isAllTime && known.length > 0 && standings.length > 0;
  const points = isAsked
    ? await findPointsHeld(
        pointSystemId,
        standings.map(({ address }) => address),
      )
    : null;
  return standings.map((standing) => ({
    ...standing,
    tier: findTier(known, points ? (points.get(standing.address) ?? 0) : standing.points),
  }));
}

/** Finds all points of each address; of a linked wallet, those of its primary one. */
function findPointsHeld(
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<Map<Address, number>> {
  return withDatabase(async (db) => {
    const primaries = await findPrimaries(db, pointSystemId, addresses);
    const holders = new Set(addresses.map((address) => primaries.get(address) ?? address));
    const points = await findWalletPoints(db, pointSystemId, [...holders]);
    return new Map(
      addresses.map((address) => [address, points.get(primaries.get(address) ?? address) ?? 0]),
    );
  });
}

/**
 * Replaces the tiers of a point system. It says no changes of tiers to webhooks: those come with points alone.
 * @param wanted tiers of different names and points, at most `TIERS_MAX`
 */
export async function setTiers(
  { actor, pointSystemId }: Editor,
  wanted: readonly Tier[],
): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await tx
      .select(columns)
      .from(tiers)
      .where(eq(tiers.pointSystemId, pointSystemId))
      .orderBy(asc(tiers.pointsMin));
    await replaceTiers(tx, pointSystemId, wanted);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "tiers.update",
      subject: "tiers",
      before: { tiers: before },
      after: { tiers: wanted },
    });
  });
}

/** Replaces the tiers of a point system. The caller holds the ledger lock. */
export async function replaceTiers(
  tx: Transaction,
  pointSystemId: string,
  wanted: readonly Tier[],
): Promise<void> {
  await tx.delete(tiers).where(eq(tiers.pointSystemId, pointSystemId));
  if (wanted.length === 0) {
    await tx.delete(tierCursors).where(eq(tierCursors.pointSystemId, pointSystemId));
    return;
  }
  await tx.insert(tiers).values(wanted.map((tier) => ({ pointSystemId, ...tier })));
  // The first tiers are heard of from here on.
  await tx
    .insert(tierCursors)
    .values({ pointSystemId, seq: sql`next_ledger_seq(${pointSystemId}::uuid)` })
    .onConflictDoNothing();
}
