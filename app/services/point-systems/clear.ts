import { eq, type SQL, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "../../db/client";
import { isRetryable } from "../../db/errors";
import { boards } from "../../db/schema/boards";
import { pointSystems } from "../../db/schema/point-systems";
import { streaks } from "../../db/schema/progress";
import { Failure } from "../../domain/failure";
import { recordAudit } from "../access/audit-log";
import type { Member } from "../access/members";
import { writeLedger } from "../ledger/write-ledger";
import { enqueueJob } from "../runtime/job-queue";
import { lockSettings, openBooks } from "./point-systems";
import { listOwnIds, removeWindows, TABLES } from "./purge";
import { type Place, removeBatch } from "./removal";

/** The time for which the owner waits for the end. A job goes on with what is left then. */
const WAIT_MS = 10_000;

/**
 * The tables that are emptied: those of a deletion without the calls that were given up, which may still arrive.
 * Idempotency records stay: without their credits they do not count (is_credit_kept).
 */
const CLEARED = TABLES.filter((table) => table !== "withdrawn_credits");

/** The tables with rows of rewards, some of which stay. */
const OF_REWARDS: ReadonlySet<string> = new Set(["distributions", "merkle_buckets", "allocations"]);

/**
 * Clears a sandbox: removes its events, wallets with their notes, blacklist, boards, imports, rewards and logs. Its name,
 * members, keys, triggers, boosts, webhooks and audit log stay, and so do campaigns that are on chain or whose admin's
 * wallet is named. What is credited before the end may be removed as well.
 * @param confirmation the sandbox's name, as the operator typed it or a key sent it
 * @returns whether it is done; otherwise a job goes on
 * @throws {Failure} `sandbox_needed`, `confirmation_wrong`
 */
export async function clearSandbox(
  member: Member<"owner">,
  confirmation: string,
): Promise<{ name: string; isDone: boolean }> {
  const { actor, pointSystemId } = member;
  const name = await inTransaction(async (tx) => {
    const before = await lockSettings(tx, pointSystemId);
    if (!before.isSandbox) throw new Failure("sandbox_needed");
    if (confirmation.trim() !== before.name.trim()) {
      throw new Failure("confirmation_wrong", { field: "confirmation" });
    }
    await tx
      .update(pointSystems)
      .set({ clearingSince: sql`now()` })
      .where(eq(pointSystems.id, pointSystemId));
    await enqueueJob(tx, "clear-sandbox", { pointSystemId }, pointSystemId);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "point_system.clear",
      subject: before.name,
    });
    return before.name;
  });
  const end = Date.now() + WAIT_MS;
  let rest: Place | null = {};
  try {
    while (rest && Date.now() <= end) rest = await clearBatch(pointSystemId, rest);
  } catch {
    // The clearing is ordered: the job goes on, and tells of a failure that stays.
  }
  return { name, isDone: rest === null };
}

/**
 * Removes a batch of a sandbox's rows; with the last ones it opens new books. Several processes may do so at once.
 * @returns the place from which more is to be removed; null when it is done
 */
export async function clearBatch(pointSystemId: string, from: Place = {}): Promise<Place | null> {
  try {
    return await writeLedger(pointSystemId, async (tx) => {
      const [row] = await tx
        .select({ clearingSince: pointSystems.clearingSince })
        .from(pointSystems)
        .where(eq(pointSystems.id, pointSystemId));
      if (!row?.clearingSince) return null;
      // No ranks are made meanwhile of wallets that this transaction removes.
      await tx.execute(sql`select lock_ranks(${pointSystemId}::uuid)`);
      // Nor are days of streaks counted, which would come back behind this transaction.
      await tx.select().from(streaks).where(eq(streaks.pointSystemId, pointSystemId)).for("update");
      await tx.delete(boards).where(eq(boards.pointSystemId, pointSystemId));
      if (!from.table) {
        await tx.execute(sql`select close_board_windows(${pointSystemId}::uuid)`);
      }
      const removal = {
        pointSystemId,
        tables: CLEARED,
        listIds: (table: string) => listOwnIds(table, pointSystemId),
        isDoomed: (table: string) =>
          OF_REWARDS.has(table) ? isNotKept(pointSystemId, sql`reward_id`) : undefined,
      };
      const { rest } = await removeBatch(tx, removal, from);
      if (rest || from.table) return rest ?? {};
      await finish(tx, pointSystemId);
      return null;
    });
  } catch (error) {
    if (isRetryable(error)) return from;
    // It was deleted meanwhile.
    if (error instanceof Failure && error.code === "not_found") return null;
    throw error;
  }
}

/** Ends the clearing of a sandbox of which nothing is left but rewards. */
async function finish(tx: Transaction, id: string): Promise<void> {
  // Few are left, since their shares, trees and cards are gone.
  await tx.execute(
    sql`delete from rewards where point_system_id = ${id} and ${isNotKept(id, sql`id`)}`,
  );
  await removeWindows(tx, id);
  await openBooks(tx, id);
  await tx.update(pointSystems).set({ clearingSince: null }).where(eq(pointSystems.id, id));
}

/** Matches rewards that are removed: all but those that are, or can any moment be, on chain. */
const isNotKept = (pointSystemId: string, rewardId: SQL) => sql`${rewardId} not in (
  select a.reward_id from airdrops a
  join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
  where a.point_system_id = ${pointSystemId}
    and (a.onchain_id is not null or (a.admin_address is not null and r.status <> 'cancelled'))
)`;
