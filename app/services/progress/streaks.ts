import { and, asc, eq, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { type Executor, type Transaction, withDatabase } from "../../db/client";
import { replicatedQuery } from "../../db/replicated";
import { pointEvents } from "../../db/schema/ledger";
import { streakBonuses, streaks } from "../../db/schema/progress";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { STREAKS_MAX, type StreakBonus, type WalletStreak } from "../../domain/progress/streak";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { writeLedger } from "../ledger/write-ledger";
import { checkTimeZone } from "../point-systems/time-zones";
import { removeOrphans } from "../runtime/remove-orphans";

/** The fields of a streak that can be changed. */
export interface StreakChange {
  readonly name: string;
  /** At most `BONUSES_MAX`, of different lengths. */
  readonly bonuses: readonly StreakBonus[];
}

/** The fields of a new streak. */
export interface NewStreak extends StreakChange {
  /** As a trigger key is written. */
  readonly key: string;
  /** The triggers whose credits count; null for all. */
  readonly triggerKeys: readonly string[] | null;
  readonly timeZone: string;
}

export interface Streak extends NewStreak {
  readonly id: string;
  readonly createdAt: Date;
}

const columns = {
  id: streaks.id,
  key: streaks.key,
  name: streaks.name,
  triggerKeys: streaks.triggerKeys,
  timeZone: streaks.timeZone,
  bonuses: streaks.bonuses,
  createdAt: streaks.createdAt,
};

/** Lists the streaks of a point system, the oldest first. */
export function listStreaks(pointSystemId: string, tx?: Transaction): Promise<Streak[]> {
  const run = (executor: Pick<Transaction, "select">) =>
    executor
      .select(columns)
      .from(streaks)
      .where(eq(streaks.pointSystemId, pointSystemId))
      .orderBy(asc(streaks.createdAt), asc(streaks.key));
  return tx ? run(tx) : withDatabase(run);
}

/**
 * Reads a streak.
 * @throws {Failure} `not_found`
 */
export async function getStreak(
  pointSystemId: string,
  streakKey: string,
  tx?: Transaction,
): Promise<Streak> {
  const found = (await listStreaks(pointSystemId, tx)).find(({ key }) => key === streakKey);
  if (!found) throw new Failure("not_found");
  return found;
}

/** The bonuses of a streak that wallets reached, by what became of them. */
export interface BonusCounts {
  readonly paid: number;
  readonly due: number;
  /** Those that are never paid. */
  readonly withheld: number;
}

/** The most bonuses of a streak that are counted for a page. */
export const BONUSES_COUNTED_MAX = 100_000;

/**
 * Counts the bonuses of a streak that wallets reached.
 * @returns null when there are more than `BONUSES_COUNTED_MAX`
 */
export async function countBonuses(
  pointSystemId: string,
  streakId: string,
): Promise<BonusCounts | null> {
  const [row] = await withDatabase((db) =>
    db.execute<{ all: number; paid: number; due: number }>(sql`
      select count(*)::int as all, (count(*) filter (where b.state = 'paid'))::int as paid,
        (count(*) filter (where b.state = 'due'))::int as due
      from (
        select state from streak_bonuses
        where point_system_id = ${pointSystemId} and streak_id = ${streakId}
        order by address limit ${BONUSES_COUNTED_MAX + 1}
      ) b`),
  );
  const { all, paid, due } = row ?? { all: 0, paid: 0, due: 0 };
  return all > BONUSES_COUNTED_MAX ? null : { paid, due, withheld: all - paid - due };
}

const selectWalletStreaks = replicatedQuery("reads", (db) =>
  db
    .select({
      key: sql<string>`s.key`,
      name: sql<string>`s.name`,
      current: sql<number>`s.current_days`,
      longest: sql<number>`s.longest_days`,
      lastDay: sql<string | null>`s.last_day`,
    })
    .from(
      sql`list_wallet_streaks(${sql.placeholder("pointSystemId")}::uuid,
        find_primary(${sql.placeholder("pointSystemId")}::uuid,
          ${sql.param(sql.placeholder("address"), pointEvents.address)}::bytea),
        statement_timestamp()) s`,
    )
    .prepare("list_wallet_streaks"),
);

/**
 * Lists a wallet's days in a row for each streak of a point system, of a linked wallet those of its primary one. They are
 * some seconds behind the ledger.
 */
export function listWalletStreaks(
  pointSystemId: string,
  address: Address,
): Promise<WalletStreak[]> {
  return selectWalletStreaks({ pointSystemId, address });
}

/**
 * Creates a streak. What the ledger has already counts as days, and reaches no bonuses.
 * @throws {Failure} `streak_taken`, `too_many_streaks`, `invalid_field` for a time zone that the database does not know
 *   and for a trigger that does not exist
 */
export async function createStreak(
  { actor, pointSystemId }: Editor,
  streak: NewStreak,
): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    await addStreak(tx, pointSystemId, streak);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "streak.create",
      subject: streak.key,
      after: toAudit(streak),
    });
  });
}

/**
 * Adds a streak. The caller holds the ledger lock.
 * @throws {Failure} as `createStreak`
 */
export async function addStreak(
  tx: Transaction,
  pointSystemId: string,
  { key, name, triggerKeys, timeZone, bonuses }: NewStreak,
): Promise<void> {
  const existing = await listStreaks(pointSystemId, tx);
  if (existing.some((other) => other.key === key))
    throw new Failure("streak_taken", { field: "key" });
  if (existing.length >= STREAKS_MAX) throw new Failure("too_many_streaks");
  await checkTimeZone(tx, timeZone, "timeZone");
  await checkTriggers(tx, pointSystemId, triggerKeys ?? [], "triggerKeys");
  await checkBonuses(tx, pointSystemId, bonuses);
  await tx.insert(streaks).values({
    ...{ pointSystemId, key, name, timeZone, bonuses },
    triggerKeys: triggerKeys && [...triggerKeys],
    paysAfterSeq: sql`next_ledger_seq(${pointSystemId}::uuid)`,
  });
}

/**
 * Changes a streak's name and bonuses. Lengths that wallets have passed are not paid again, nor later.
 * @throws {Failure} `not_found`, `invalid_field` for a trigger that does not exist
 */
export async function updateStreak(
  { actor, pointSystemId }: Editor,
  key: string,
  { name, bonuses }: StreakChange,
): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getStreak(pointSystemId, key, tx);
    await checkBonuses(tx, pointSystemId, bonuses);
    await tx.update(streaks).set({ name, bonuses }).where(isStreak(pointSystemId, before.id));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "streak.update",
      subject: key,
      before: toAudit(before),
      after: toAudit({ ...before, name, bonuses }),
    });
  });
}

/**
 * Deletes a streak. Bonuses that were paid stay in the ledger; those that are due are not paid. Its days are removed by
 * a job.
 * @throws {Failure} `not_found`
 */
export async function deleteStreak({ actor, pointSystemId }: Editor, key: string): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getStreak(pointSystemId, key, tx);
    await tx.delete(streaks).where(isStreak(pointSystemId, before.id));
    await tx
      .delete(streakBonuses)
      .where(
        and(
          eq(streakBonuses.pointSystemId, pointSystemId),
          eq(streakBonuses.streakId, before.id),
          eq(streakBonuses.state, "due"),
        ),
      );
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "streak.delete",
      subject: key,
      before: toAudit(before),
    });
  });
}

const isStreak = (pointSystemId: string, id: string) =>
  and(eq(streaks.pointSystemId, pointSystemId), eq(streaks.id, id));

function checkBonuses(
  executor: Executor,
  pointSystemId: string,
  bonuses: readonly StreakBonus[],
): Promise<void> {
  const keys = bonuses.map(({ triggerKey }) => triggerKey);
  return checkTriggers(executor, pointSystemId, keys, "bonuses");
}

/** @throws {Failure} `invalid_field` when one of the triggers does not exist */
async function checkTriggers(
  executor: Executor,
  pointSystemId: string,
  keys: readonly string[],
  field: string,
): Promise<void> {
  const [missing] = await executor.execute<{ key: string }>(sql`
    select q.key from unnest(${toArrayLiteral(keys)}::text[]) as q(key)
    where not exists (
      select 1 from triggers t where t.point_system_id = ${pointSystemId}::uuid and t.key = q.key
    ) limit 1`);
  if (missing) throw new Failure("invalid_field", { field, name: `${field}: ${missing.key}` });
}

const toAudit = ({ name, triggerKeys, timeZone, bonuses }: NewStreak) => ({
  name,
  triggerKeys,
  timeZone,
  bonuses,
});

/**
 * Removes days of streaks that were deleted, some at a time.
 * @returns whether there may be more
 */
export function removeDeletedStreakDays(): Promise<boolean> {
  return removeOrphans(
    { table: "streak_days", column: "streak_id" },
    { table: "streaks", column: "id" },
  );
}
