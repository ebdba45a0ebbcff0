import { randomUUID } from "node:crypto";
import { and, asc, count, desc, eq, type SQL, sql } from "drizzle-orm";
import { type Executor, inTransaction, type Transaction, withDatabase } from "../../db/client";
import { triggers } from "../../db/schema/point-systems";
import { dailyTriggerTotals } from "../../db/schema/statistics";
import { Failure } from "../../domain/failure";
import type { PointsRange } from "../../domain/ledger/points";
import type { TriggerCap } from "../../domain/point-systems/trigger-cap";
import { isTriggerKey } from "../../domain/point-systems/trigger-key";
import { recordAudit } from "../access/audit-log";
import type { Editor, Member } from "../access/members";
import { lockPointSystem } from "../access/point-system-lock";
import { sayEvent } from "../webhooks/outbox/say-event";
import { checkTimeZone } from "./time-zones";

export interface Trigger {
  readonly key: string;
  readonly name: string;
  readonly points: number;
  readonly variable: PointsRange | null;
  readonly cap: TriggerCap | null;
  readonly isActive: boolean;
  /** The number of times it has credited points, a few seconds behind the ledger. */
  readonly fires: number;
  readonly lastFiredAt: Date | null;
}

/** The fields of a trigger that can be changed. */
export interface TriggerFields {
  readonly name: string;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`; of variable points, those of a call that names none. */
  readonly points: number;
  /** The limits of variable points, around `points`; null for fixed points. */
  readonly variable: PointsRange | null;
  /** The most that a wallet can earn by it; no limit when left out. */
  readonly cap?: TriggerCap | null;
}

/** The most triggers of a point system: as many as a list shows at once. */
export const TRIGGERS_MAX = 500;

/** Lists a point system's triggers, the active ones first. */
export function listTriggers(member: Member): Promise<Trigger[]> {
  return selectTriggers(member);
}

/**
 * Reads a trigger.
 * @throws {Failure} `not_found`
 */
export async function getTrigger(member: Member, key: string): Promise<Trigger> {
  const [found] = await selectTriggers(member, isTrigger(member.pointSystemId, key));
  if (!found) throw new Failure("not_found");
  return found;
}

/**
 * Creates an active trigger.
 * @param fields.key a key as `sanitizeTriggerKey` makes it; it cannot be changed later
 * @throws {Failure} `trigger_key_taken` with the name of the trigger that has it,
 *   `too_many_triggers`, `invalid_field` for a time zone that the database does not know
 */
export async function createTrigger(
  { actor, pointSystemId }: Editor,
  { key, ...fields }: TriggerFields & { readonly key: string },
): Promise<void> {
  await inTransaction(async (tx) => {
    // Creations in a point system are serialized, so that the limit holds.
    await lockPointSystem(tx, pointSystemId);
    const [existing] = await tx
      .select({ total: count() })
      .from(triggers)
      .where(eq(triggers.pointSystemId, pointSystemId));
    if ((existing?.total ?? 0) >= TRIGGERS_MAX) throw new Failure("too_many_triggers");
    const capId = await chooseCapId(tx, fields);
    const [created] = await tx
      .insert(triggers)
      .values({ pointSystemId, key, ...toTriggerColumns(fields), capId })
      .onConflictDoNothing()
      .returning({ key: triggers.key });
    if (!created) {
      const [taker] = await tx
        .select({ name: triggers.name })
        .from(triggers)
        .where(isTrigger(pointSystemId, key));
      throw new Failure("trigger_key_taken", { field: "key", name: taker?.name ?? key });
    }
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "trigger.create",
      subject: key,
      after: toAudit(fields),
    });
    await sayChange(tx, { actor, pointSystemId }, "created", { key, ...fields, isActive: true });
  });
}

/**
 * Changes a trigger's name and points, also from fixed to variable points and back. Events that it
 * credited before keep their points. A cap with another window or time zone counts them from the ledger again.
 * @throws {Failure} `not_found`, `invalid_field` for a time zone that the database does not know
 */
export async function updateTrigger(
  { actor, pointSystemId }: Editor,
  key: string,
  fields: TriggerFields,
): Promise<void> {
  await inTransaction(async (tx) => {
    const before = await lockTrigger(tx, pointSystemId, key);
    const capId = await chooseCapId(tx, fields, before);
    await tx
      .update(triggers)
      .set({ ...toTriggerColumns(fields), capId })
      .where(isTrigger(pointSystemId, key));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "trigger.update",
      subject: key,
      before: toAudit(before),
      after: toAudit(fields),
    });
    await sayChange(tx, { actor, pointSystemId }, "updated", { ...before, ...fields, key });
  });
}

/**
 * Activates or deactivates a trigger.
 * @returns the trigger's name
 * @throws {Failure} `not_found`
 */
export async function setTriggerActive(
  { actor, pointSystemId }: Editor,
  key: string,
  isActive: boolean,
): Promise<{ name: string }> {
  return inTransaction(async (tx) => {
    const before = await lockTrigger(tx, pointSystemId, key);
    if (before.isActive === isActive) return { name: before.name };
    await tx.update(triggers).set({ isActive }).where(isTrigger(pointSystemId, key));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "trigger.update",
      subject: key,
      before: { isActive: before.isActive },
      after: { isActive },
    });
    await sayChange(tx, { actor, pointSystemId }, "updated", { ...before, key, isActive });
    return { name: before.name };
  });
}

/**
 * Deletes a trigger. The events that it credited stay, under its key.
 * @returns the trigger's name
 * @throws {Failure} `not_found`
 */
export async function deleteTrigger(
  { actor, pointSystemId }: Editor,
  key: string,
): Promise<{ name: string }> {
  return inTransaction(async (tx) => {
    const before = await lockTrigger(tx, pointSystemId, key);
    await tx.delete(triggers).where(isTrigger(pointSystemId, key));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "trigger.delete",
      subject: key,
      before: { ...toAudit(before), isActive: before.isActive },
    });
    await sayChange(tx, { actor, pointSystemId }, "deleted", { ...before, key });
    return { name: before.name };
  });
}

const isTrigger = (pointSystemId: string, key: string) =>
  and(
    eq(triggers.pointSystemId, pointSystemId),
    isTriggerKey(key) ? eq(triggers.key, key) : sql`false`,
  );

const fieldColumns = {
  name: triggers.name,
  points: triggers.points,
  pointsMin: triggers.pointsMin,
  pointsMax: triggers.pointsMax,
  capWindow: triggers.capWindow,
  capTimeZone: triggers.capTimeZone,
  capTimes: triggers.capTimes,
  capPoints: triggers.capPoints,
};

/** Makes the columns of a trigger's fields, all but the cap's id. */
export const toTriggerColumns = ({ name, points, variable, cap }: TriggerFields) => ({
  name,
  points,
  pointsMin: variable?.min ?? null,
  pointsMax: variable?.max ?? null,
  capWindow: cap?.window ?? null,
  capTimeZone: cap?.timeZone ?? null,
  capTimes: cap?.times ?? null,
  capPoints: cap?.points ?? null,
});

/** Chooses the id of a cap's counts: they stay while the windows do. */
async function chooseCapId(
  tx: Transaction,
  { cap }: TriggerFields,
  before?: TriggerFields & { capId: string | null },
): Promise<string | null> {
  if (!cap) return null;
  if (before?.cap?.window === cap.window && before.cap.timeZone === cap.timeZone) {
    return before.capId;
  }
  await checkTimeZone(tx, cap.timeZone, "capTimeZone");
  return randomUUID();
}

type FieldColumns = Omit<ReturnType<typeof toTriggerColumns>, "name" | "points">;

const fromColumns = <Row extends FieldColumns>({
  pointsMin: min,
  pointsMax: max,
  capWindow: window,
  capTimeZone: timeZone,
  capTimes: times,
  capPoints: points,
  ...row
}: Row) => ({
  ...row,
  variable: min === null || max === null ? null : { min, max },
  cap: window === null || timeZone === null ? null : { window, timeZone, times, points },
});

/** Makes the entry of the audit log: one of fixed points has no limits, one without a cap has none of it. */
const toAudit = ({ name, points, variable, cap }: TriggerFields) => ({
  name,
  points,
  ...(variable && { pointsMin: variable.min, pointsMax: variable.max }),
  ...(cap && {
    capWindow: cap.window,
    capTimeZone: cap.timeZone,
    capTimes: cap.times,
    capPoints: cap.points,
  }),
});

/** Says a change of a trigger to the webhooks, with the trigger as it is after the change. */
async function sayChange(
  executor: Executor,
  { actor, pointSystemId }: Pick<Member, "actor" | "pointSystemId">,
  change: "created" | "updated" | "deleted",
  {
    key,
    name,
    points,
    variable,
    cap = null,
    isActive,
  }: TriggerFields & { key: string; isActive: boolean },
): Promise<void> {
  const trigger = { key, name, points, variable, cap, isActive };
  await sayEvent(executor, pointSystemId, "trigger.changed", { change, trigger }, actor);
}

/** Reads a trigger and locks it until the transaction ends. */
export async function lockTrigger(executor: Executor, pointSystemId: string, key: string) {
  const [row] = await executor
    .select({ ...fieldColumns, capId: triggers.capId, isActive: triggers.isActive })
    .from(triggers)
    .where(isTrigger(pointSystemId, key))
    .for("update");
  if (!row) throw new Failure("not_found");
  return fromColumns(row);
}

async function selectTriggers({ pointSystemId }: Member, filter?: SQL): Promise<Trigger[]> {
  const days = dailyTriggerTotals;
  const rows = await withDatabase((db) => {
    const use = db
      .select({
        fires: sql<number>`coalesce(sum(${days.events}), 0)::float8`.as("fires"),
        lastFiredAt: sql<Date | null>`max(${days.lastFiredAt})`
          .mapWith(days.lastFiredAt)
          .as("last_fired_at"),
      })
      .from(days)
      .where(and(eq(days.pointSystemId, pointSystemId), eq(days.triggerKey, triggers.key)))
      .as("use");
    return db
      .select({
        ...fieldColumns,
        key: triggers.key,
        isActive: triggers.isActive,
        fires: use.fires,
        lastFiredAt: use.lastFiredAt,
      })
      .from(triggers)
      .crossJoinLateral(use)
      .where(and(eq(triggers.pointSystemId, pointSystemId), filter))
      .orderBy(desc(triggers.isActive), asc(triggers.name), asc(triggers.key));
  });
  return rows.map(fromColumns);
}
