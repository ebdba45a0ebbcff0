import { and, asc, desc, eq, isNull, or, sql } from "drizzle-orm";
import { type Executor, inTransaction, withDatabase } from "../../db/client";
import { isUniqueViolation } from "../../db/errors";
import { apiKeyPointSystems } from "../../db/schema/api-keys";
import { auditLog } from "../../db/schema/audit-log";
import { pointSystemTotals } from "../../db/schema/ledger";
import { accountLinks, operators } from "../../db/schema/operators";
import { pointSystemMembers, pointSystems } from "../../db/schema/point-systems";
import { rankCursors } from "../../db/schema/ranks";
import { statisticsCursors } from "../../db/schema/statistics";
import type { Role } from "../../domain/access/role";
import { deriveId } from "../../domain/derived-id";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { generateShortId } from "../../domain/random-id";
import { recordAudit } from "../access/audit-log";
import { type Actor, type Member, roleOf } from "../access/members";
import { queuePurge } from "./purge";

export interface PointSystem {
  readonly id: string;
  readonly name: string;
  readonly shortId: string;
  /** The public leaderboard's path; null when there is no public leaderboard. */
  readonly slug: string | null;
  /** Whether it is for tests alone. */
  readonly isSandbox: boolean;
  /** Whether its owner has it cleared at present. */
  readonly isClearing: boolean;
  readonly createdAt: Date;
  readonly wallets: number;
  /** The number of these wallets that are on the blacklist. */
  readonly blacklistedWallets: number;
  readonly events: number;
  /** The role of the operator for whom it was read. */
  readonly role: Role;
}

export interface PointSystemFields {
  readonly name: string;
  readonly slug: string | null;
}

/** The most attempts to find a free short id. */
const SHORT_ID_ATTEMPTS_MAX = 100;

/** Lists the point systems that an operator owns or is a member of, newest first. */
export function listPointSystems(operatorId: string): Promise<PointSystem[]> {
  return selectPointSystems(operatorId, null);
}

/** Lists the point systems of a key that manages: those of its scope that its operator owns. */
export async function listPointSystemsOfKey({ operatorId, apiKey }: Actor): Promise<PointSystem[]> {
  const scope = await withDatabase((db) =>
    db
      .select({ id: apiKeyPointSystems.pointSystemId })
      .from(apiKeyPointSystems)
      .where(eq(apiKeyPointSystems.apiKeyId, apiKey?.id ?? sql`null`)),
  );
  const ids = new Set(scope.map(({ id }) => id));
  const all = await selectPointSystems(operatorId, null);
  return all.filter(({ id, role }) => role === "owner" && ids.has(id));
}

/**
 * Reads a member's point system.
 * @throws {Failure} `not_found`
 */
export async function getPointSystem(member: Member): Promise<PointSystem> {
  const [found] = await selectPointSystems(member.actor.operatorId, member.pointSystemId);
  if (!found) throw new Failure("not_found");
  return found;
}

/**
 * Creates a point system that the actor owns.
 * @param fields.isSandbox null for the kind that the actor's key reaches
 * @param token the token of the form, which creates one of the same fields once; a new one when left out
 * @throws {Failure} `slug_taken`, `sandbox_not_public`; for a key that acts, `sandbox_mixed`
 */
export async function createPointSystem(
  actor: Actor,
  { name, slug, isSandbox: wanted = null }: PointSystemFields & { isSandbox?: boolean | null },
  token = createEventId(),
): Promise<{ id: string }> {
  const isSandbox = wanted ?? actor.apiKey?.isSandbox ?? false;
  if (actor.apiKey && actor.apiKey.isSandbox !== isSandbox) throw new Failure("sandbox_mixed");
  refusePublicSandbox(isSandbox, slug);
  return refuseTakenSlug(
    inTransaction(async (tx) => {
      const { operatorId } = actor;
      const idOfForm = deriveId(token, operatorId, name, slug, Number(isSandbox));
      // A form that is sent twice at once waits here for itself.
      await tx
        .select({ id: operators.id })
        .from(operators)
        .where(eq(operators.id, operatorId))
        .for("no key update");
      const [made] = await tx
        .select({ deletedAt: pointSystems.deletedAt })
        .from(pointSystems)
        .where(eq(pointSystems.id, idOfForm));
      if (made?.deletedAt === null) return { id: idOfForm };
      // A form that is sent after its point system was deleted makes another. The audit log still has the first one's id.
      const [recorded] = await tx
        .select({ id: auditLog.id })
        .from(auditLog)
        .where(eq(auditLog.pointSystemId, idOfForm))
        .limit(1);
      const id = recorded ? createEventId() : idOfForm;
      await insertPointSystem(tx, { id, operatorId, name, slug, isSandbox });
      // A key that creates a point system manages it from then on.
      if (actor.apiKey) {
        await tx
          .insert(apiKeyPointSystems)
          .values({ apiKeyId: actor.apiKey.id, pointSystemId: id });
      }
      await recordAudit(tx, actor, {
        pointSystemId: id,
        action: "point_system.create",
        subject: name,
        after: { name, slug, isSandbox },
      });
      return { id };
    }),
  );
}

/**
 * Stores a point system under a free short id, with empty totals and ranks.
 * @param values with its own id and date when it comes from a file
 * @returns the point system's id
 */
export async function insertPointSystem(
  executor: Executor,
  values: Omit<typeof pointSystems.$inferInsert, "shortId">,
): Promise<string> {
  for (let attempt = 1; attempt <= SHORT_ID_ATTEMPTS_MAX; attempt += 1) {
    const [inserted] = await executor
      .insert(pointSystems)
      .values({ ...values, shortId: generateShortId() })
      .onConflictDoNothing({ target: pointSystems.shortId })
      .returning({ id: pointSystems.id });
    if (!inserted) continue;
    await openBooks(executor, inserted.id);
    return inserted.id;
  }
  throw new Error("No free short id was found for a point system");
}

/** Opens the totals, ranks and statistics of a point system without events. */
export async function openBooks(executor: Executor, pointSystemId: string): Promise<void> {
  await executor.insert(pointSystemTotals).values({ pointSystemId });
  await executor.insert(rankCursors).values({ pointSystemId, seq: 0n });
  await executor.insert(statisticsCursors).values({ pointSystemId });
}

/**
 * Changes a point system's name and slug.
 * @throws {Failure} `slug_taken`, `sandbox_not_public`
 */
export async function updatePointSystem(
  member: Member<"owner">,
  { name, slug }: PointSystemFields,
): Promise<void> {
  const { actor, pointSystemId } = member;
  await refuseTakenSlug(
    inTransaction(async (tx) => {
      const { isSandbox, ...before } = await lockSettings(tx, pointSystemId);
      refusePublicSandbox(isSandbox, slug);
      await tx.update(pointSystems).set({ name, slug }).where(eq(pointSystems.id, pointSystemId));
      await recordAudit(tx, actor, {
        pointSystemId,
        action: "point_system.update",
        subject: name,
        before,
        after: { name, slug },
      });
    }),
  );
}

/**
 * Deletes a point system. From now on it has no members and no key has it in its scope. The worker
 * removes its rows later, as there can be many.
 * @param confirmation the point system's name, as the operator typed it
 * @throws {Failure} `confirmation_wrong`
 */
export async function deletePointSystem(
  member: Member<"owner">,
  confirmation: string,
): Promise<{ name: string }> {
  const { actor, pointSystemId } = member;
  return inTransaction(async (tx) => {
    const before = await lockSettings(tx, pointSystemId);
    if (confirmation.trim() !== before.name.trim()) {
      throw new Failure("confirmation_wrong", { field: "confirmation" });
    }
    await tx
      .update(pointSystems)
      .set({ deletedAt: sql`now()`, slug: null })
      .where(eq(pointSystems.id, pointSystemId));
    await tx.delete(apiKeyPointSystems).where(eq(apiKeyPointSystems.pointSystemId, pointSystemId));
    await tx.delete(pointSystemMembers).where(eq(pointSystemMembers.pointSystemId, pointSystemId));
    await queuePurge(tx, pointSystemId);
    await tx.delete(accountLinks).where(eq(accountLinks.pointSystemId, pointSystemId));
    await recordAudit(tx, actor, {
      pointSystemId: null,
      action: "point_system.delete",
      subject: before.name,
      before: { id: pointSystemId, ...before },
    });
    return { name: before.name };
  });
}

function refusePublicSandbox(isSandbox: boolean, slug: string | null): void {
  if (isSandbox && slug !== null) throw new Failure("sandbox_not_public", { field: "slug" });
}

/** Reads the fields that can be changed, and the kind, and locks them until the transaction ends. */
export async function lockSettings(executor: Executor, id: string) {
  const [row] = await executor
    .select({
      name: pointSystems.name,
      slug: pointSystems.slug,
      isSandbox: pointSystems.isSandbox,
    })
    .from(pointSystems)
    .where(and(eq(pointSystems.id, id), isNull(pointSystems.deletedAt)))
    .for("update");
  if (!row) throw new Failure("not_found");
  return row;
}

async function refuseTakenSlug<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isUniqueViolation(error, "point_systems_slug_unique")) {
      throw new Failure("slug_taken", { field: "slug" });
    }
    throw error;
  }
}

/**
 * Selects point systems as an operator sees them.
 * @param id null for all point systems of the operator
 */
async function selectPointSystems(operatorId: string, id: string | null): Promise<PointSystem[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: pointSystems.id,
        name: pointSystems.name,
        shortId: pointSystems.shortId,
        slug: pointSystems.slug,
        isSandbox: pointSystems.isSandbox,
        isClearing: sql<boolean>`${pointSystems.clearingSince} is not null`,
        createdAt: pointSystems.createdAt,
        wallets: sql<number | null>`totals.wallets`.mapWith(Number),
        blacklistedWallets: sql<number | null>`totals.blacklisted_wallets`.mapWith(Number),
        events: sql<number | null>`totals.events`.mapWith(Number),
        role: roleOf(operatorId),
      })
      .from(pointSystems)
      .leftJoinLateral(sql`read_totals(${pointSystems.id}) totals`, sql`true`)
      .where(
        and(
          isNull(pointSystems.deletedAt),
          id === null ? undefined : eq(pointSystems.id, id),
          or(
            eq(pointSystems.operatorId, operatorId),
            sql`${pointSystems.id} in (
              select m.point_system_id from ${pointSystemMembers} m where m.operator_id = ${operatorId}
            )`,
          ),
        ),
      )
      .orderBy(desc(pointSystems.createdAt), asc(pointSystems.name)),
  );
  return rows.map(({ role, ...row }) => ({
    ...row,
    wallets: row.wallets ?? 0,
    blacklistedWallets: row.blacklistedWallets ?? 0,
    events: row.events ?? 0,
    role: role ?? "viewer",
  }));
}
