import { and, eq, sql } from "drizzle-orm";
import { toBatches } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import { boosts, boostWallets } from "../../db/schema/boosts";
import { triggers } from "../../db/schema/point-systems";
import type { Address } from "../../domain/address";
import { deriveId } from "../../domain/derived-id";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { BOOSTS_MAX } from "../../domain/point-systems/boost";
import { recordAudit } from "../access/audit-log";
import type { Editor } from "../access/members";
import { readDatabaseClock, writeLedger } from "../ledger/write-ledger";
import { type Boost, findBoostWallets, getBoost } from "./boost-list";
import { checkTimeZone } from "./time-zones";

/** The fields of a boost that can be changed while it runs. */
interface BoostFields {
  readonly name: string;
  /** 1.01 to 100, with at most two decimal places. */
  readonly factor: number;
  readonly endsAt: Date;
  /** The triggers whose credits it boosts; null for all. */
  readonly triggerKeys: readonly string[] | null;
}

/** The fields of a new boost. */
export interface NewBoost extends BoostFields {
  readonly startsAt: Date;
  readonly timeZone: string;
  /** The wallets that it boosts; null for every wallet. */
  readonly wallets: readonly Address[] | null;
}

/** The change of a boost that has not ended. What is left out stays. */
export interface BoostChange extends BoostFields {
  /** Another start, of a boost that has not started. */
  readonly startsAt?: Date | undefined;
  readonly timeZone?: string | undefined;
  readonly wallets?: readonly Address[] | null | undefined;
}

// Every change holds the ledger lock: a credit sees a boost as it was before the change, or after it.

/**
 * Creates a boost.
 * @param boost.startsAt null to start it now
 * @param token the token of the form, which creates one of the same fields once; a new one when left out
 * @throws {Failure} `too_many_boosts`, `boost_past` for times in the past, `trigger_not_found`, `invalid_field` for a time
 *   zone that the database does not know
 */
export async function createBoost(
  { actor, pointSystemId }: Editor,
  { startsAt, ...boost }: Omit<NewBoost, "startsAt"> & { readonly startsAt: Date | null },
  token = createEventId(),
): Promise<string> {
  const id = deriveId(token, pointSystemId, JSON.stringify({ startsAt, ...boost }));
  return writeLedger(pointSystemId, async (tx) => {
    const [made] = await tx
      .select({ id: boosts.id })
      .from(boosts)
      .where(and(eq(boosts.pointSystemId, pointSystemId), eq(boosts.id, id)));
    if (made) return id;
    const at = await readDatabaseClock(tx);
    if (startsAt !== null && startsAt < at) throw new Failure("boost_past", { field: "startsAt" });
    const started = { ...boost, startsAt: startsAt ?? at };
    checkEnd(started, at);
    await addBoost(tx, pointSystemId, { ...started, id }, at);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "boost.create",
      subject: boost.name,
      after: { id, ...toAudit({ ...started, walletCount: boost.wallets?.length ?? null }) },
    });
    return id;
  });
}

/**
 * Adds a boost, whose start may lie in the past: nothing that was credited before is boosted. The caller holds the ledger lock.
 * @throws {Failure} `too_many_boosts`, `trigger_not_found`, `invalid_field` for a time zone that the database does not know
 */
export async function addBoost(
  tx: Transaction,
  pointSystemId: string,
  { wallets, triggerKeys, ...fields }: NewBoost & { readonly id?: string },
  at: Date,
): Promise<string> {
  await checkTimeZone(tx, fields.timeZone, "timeZone");
  await checkTriggers(tx, pointSystemId, triggerKeys, []);
  const [open] = await tx.execute<{ count: number }>(sql`
    select count(*)::int as count from ${boosts} b
    where b.point_system_id = ${pointSystemId} and b.ends_at > ${at.toISOString()}::timestamptz`);
  if ((open?.count ?? 0) >= BOOSTS_MAX) throw new Failure("too_many_boosts");
  const [added] = await tx
    .insert(boosts)
    .values({
      ...{ pointSystemId, ...fields },
      triggerKeys: triggerKeys && [...triggerKeys],
      isForListed: wallets !== null,
    })
    .returning({ id: boosts.id });
  if (!added) throw new Error("A boost was not added");
  await insertWallets(tx, pointSystemId, added.id, wallets ?? []);
  return added.id;
}

/**
 * Changes a boost that has not ended. Credits from then on have its new factor; earlier ones stay as they are.
 * @throws {Failure} `not_found`, `boost_ended`, `boost_begun` for another start of one that runs, `boost_past` for times in
 *   the past, `trigger_not_found`, `invalid_field` for a time zone that the database does not know
 */
export async function updateBoost(
  { actor, pointSystemId }: Editor,
  id: string,
  { wallets, ...change }: BoostChange,
): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getBoost(pointSystemId, id, tx);
    const at = await readDatabaseClock(tx);
    const { startsAt = before.startsAt, timeZone = before.timeZone } = change;
    if (before.endsAt <= at) throw new Failure("boost_ended");
    if (startsAt.getTime() !== before.startsAt.getTime()) {
      if (before.startsAt <= at) throw new Failure("boost_begun", { field: "startsAt" });
      if (startsAt < at) throw new Failure("boost_past", { field: "startsAt" });
    }
    const after = { ...before, ...change, startsAt, timeZone };
    checkEnd(after, at);
    if (timeZone !== before.timeZone) await checkTimeZone(tx, timeZone, "timeZone");
    await checkTriggers(tx, pointSystemId, change.triggerKeys, before.triggerKeys ?? []);
    const { name, factor, endsAt, triggerKeys } = change;
    await tx
      .update(boosts)
      .set({
        ...{ name, factor, startsAt, endsAt, timeZone },
        triggerKeys: triggerKeys && [...triggerKeys],
        ...(wallets !== undefined && { isForListed: wallets !== null }),
      })
      .where(isBoost(pointSystemId, before.id));
    const walletChange =
      wallets === undefined
        ? {}
        : await replaceWallets(tx, pointSystemId, before.id, wallets ?? []);
    const walletCount = wallets === undefined ? before.walletCount : (wallets?.length ?? null);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "boost.update",
      subject: name,
      before: { id, ...toAudit(before) },
      after: { id, ...toAudit({ ...after, walletCount }), ...walletChange },
    });
  });
}

/**
 * Ends a boost that runs, now. What it credited stays.
 * @throws {Failure} `not_found`, `boost_ended` when it does not run
 */
export async function endBoost({ actor, pointSystemId }: Editor, id: string): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getBoost(pointSystemId, id, tx);
    const at = await readDatabaseClock(tx);
    if (before.startsAt > at || before.endsAt <= at) throw new Failure("boost_ended");
    const endsAt = new Date(Math.max(at.getTime(), before.startsAt.getTime() + 1));
    await tx.update(boosts).set({ endsAt }).where(isBoost(pointSystemId, before.id));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "boost.end",
      subject: before.name,
      before: { id, ...toAudit(before) },
      after: { id, ...toAudit({ ...before, endsAt }) },
    });
  });
}

/**
 * Deletes a boost that has not started.
 * @throws {Failure} `not_found`, `boost_begun`
 */
export async function deleteBoost({ actor, pointSystemId }: Editor, id: string): Promise<void> {
  await writeLedger(pointSystemId, async (tx) => {
    const before = await getBoost(pointSystemId, id, tx);
    if (before.startsAt <= (await readDatabaseClock(tx))) throw new Failure("boost_begun");
    await tx.delete(boosts).where(isBoost(pointSystemId, before.id));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "boost.delete",
      subject: before.name,
      before: { id, ...toAudit(before) },
    });
  });
}

const isBoost = (pointSystemId: string, id: string) =>
  and(eq(boosts.pointSystemId, pointSystemId), eq(boosts.id, id));

/** @throws {Failure} `boost_past`, `invalid_field` for an end that is not after the start */
function checkEnd({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }, at: Date): void {
  if (endsAt <= at) throw new Failure("boost_past", { field: "endsAt" });
  if (endsAt <= startsAt) throw new Failure("invalid_field", { field: "endsAt", name: "endsAt" });
}

/**
 * Checks that the triggers of a boost are there.
 * @param known those that it had before: one may have been deleted since
 * @throws {Failure} `trigger_not_found`
 */
async function checkTriggers(
  tx: Transaction,
  pointSystemId: string,
  keys: readonly string[] | null,
  known: readonly string[],
): Promise<void> {
  if (keys === null) return;
  const found = await tx
    .select({ key: triggers.key })
    .from(triggers)
    .where(eq(triggers.pointSystemId, pointSystemId));
  const there = new Set([...known, ...found.map(({ key }) => key)]);
  if (!keys.every((key) => there.has(key))) {
    throw new Failure("trigger_not_found", { field: "triggerKeys" });
  }
}

async function insertWallets(
  tx: Transaction,
  pointSystemId: string,
  boostId: string,
  wallets: readonly Address[],
): Promise<void> {
  for await (const batch of toBatches(
    wallets.map((address) => ({ pointSystemId, boostId, address })),
  )) {
    await tx.insert(boostWallets).values(batch);
  }
}

/** Replaces the wallets of a boost, and counts the added and the removed ones. */
async function replaceWallets(
  tx: Transaction,
  pointSystemId: string,
  boostId: string,
  wallets: readonly Address[],
): Promise<{ walletsAdded: number; walletsRemoved: number }> {
  const before = new Set(await findBoostWallets(pointSystemId, boostId, tx));
  await tx
    .delete(boostWallets)
    .where(and(eq(boostWallets.pointSystemId, pointSystemId), eq(boostWallets.boostId, boostId)));
  await insertWallets(tx, pointSystemId, boostId, wallets);
  const walletsAdded = wallets.filter((address) => !before.has(address)).length;
  return { walletsAdded, walletsRemoved: before.size + walletsAdded - wallets.length };
}

type Audited = Omit<NewBoost, "wallets" | "timeZone"> & Pick<Boost, "walletCount">;

const toAudit = ({ name, factor, startsAt, endsAt, triggerKeys, walletCount }: Audited) => ({
  name,
  factor,
  startsAt: startsAt.toISOString(),
  endsAt: endsAt.toISOString(),
  triggers: triggerKeys?.join(", ") ?? "all",
  wallets: walletCount ?? "all",
});
