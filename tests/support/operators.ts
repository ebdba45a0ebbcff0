import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import { hashPassword } from "../../app/auth/passwords";
import { withDatabase } from "../../app/db/client";
import { pointSystemTotals } from "../../app/db/schema/ledger";
import { operators } from "../../app/db/schema/operators";
import { pointSystemMembers, pointSystems } from "../../app/db/schema/point-systems";
import { rankCursors } from "../../app/db/schema/ranks";
import { statisticsCursors } from "../../app/db/schema/statistics";
import type { MemberRole } from "../../app/domain/access/role";
import type { Address } from "../../app/domain/address";
import { Failure, type FailureCode } from "../../app/domain/failure";
import { generateShortId } from "../../app/domain/random-id";
import { type Administrator, getAdministrator } from "../../app/services/access/administrators";
import {
  type Actor,
  getMember,
  type Member,
  type RequestOrigin,
} from "../../app/services/access/members";
import type { NewOperator } from "../../app/services/accounts/sign-up";
import { grantPoints } from "../../app/services/ledger/grants";

export const PASSWORD = "correct horse battery";

/** Creates the origin of a test's requests. */
export function createOrigin(ip = "192.0.2.7"): RequestOrigin {
  return { ip, requestId: randomUUID() };
}

/** The hash of `PASSWORD`. Hashing is slow by design, so that it is done once. */
let hash: Promise<string> | undefined;

/** Stores an operator whose password is `PASSWORD`. */
export async function createOperator(): Promise<{ id: string; email: string }> {
  const email = `${randomUUID()}@example.com`;
  hash ??= hashPassword(PASSWORD);
  const passwordHash = await hash;
  const [operator] = await withDatabase((db) =>
    db
      .insert(operators)
      .values({ email, name: "Ada", passwordHash })
      .returning({ id: operators.id, email: operators.email }),
  );
  if (!operator) throw new Error("The operator was not stored");
  return operator;
}

/** Describes a person who has no account yet. */
export function describeOperator(): NewOperator {
  return { email: `${randomUUID()}@example.com`, name: "Grace", password: PASSWORD };
}

/** Converts an operator to the form that writing services take. */
export function toActor({ id, email }: { id: string; email: string }): Actor {
  return { operatorId: id, email, ...createOrigin() };
}

/** Creates an operator who administers the installation. */
export async function createAdministrator(): Promise<Administrator> {
  const { id, email } = await createOperator();
  await withDatabase((db) =>
    db.update(operators).set({ isAdministrator: true }).where(eq(operators.id, id)),
  );
  return getAdministrator(toActor({ id, email }));
}

/** Creates an empty point system and returns its owner. */
export async function createOwner(name = "Alpha"): Promise<Member<"owner">> {
  const operator = await createOperator();
  const id = await createPointSystem(operator.id, name);
  return getMember(toActor(operator), id, "owner");
}

/** Finds the owner of a point system that a fixture file loaded. */
export async function findOwner(pointSystemId: string): Promise<Member<"owner">> {
  const [owner] = await withDatabase((db) =>
    db
      .select({ id: operators.id, email: operators.email })
      .from(pointSystems)
      .innerJoin(operators, eq(operators.id, pointSystems.operatorId))
      .where(eq(pointSystems.id, pointSystemId)),
  );
  if (!owner) throw new Error("The point system has no owner");
  return getMember(toActor(owner), pointSystemId, "owner");
}

/** Creates an operator who is a member of the point system. */
export async function createMember<R extends MemberRole>(
  { pointSystemId }: Member,
  role: R,
): Promise<Member<R>> {
  const operator = await createOperator();
  await withDatabase((db) =>
    db.insert(pointSystemMembers).values({ pointSystemId, operatorId: operator.id, role }),
  );
  return { ...(await getMember(toActor(operator), pointSystemId, "viewer")), role };
}

/** Stores an empty point system. */
export async function createPointSystem(operatorId: string, name: string): Promise<string> {
  const id = randomUUID();
  await withDatabase(async (db) => {
    await db.insert(pointSystems).values({ id, operatorId, name, shortId: generateShortId() });
    await db.insert(pointSystemTotals).values({ pointSystemId: id });
    await db.insert(rankCursors).values({ pointSystemId: id, seq: 0n });
    await db.insert(statisticsCursors).values({ pointSystemId: id });
  });
  return id;
}

/** Grants points without a note. */
export function grant(owner: Member<"owner">, address: Address, points: number): Promise<void> {
  return grantPoints(owner, { address, points, note: null });
}

/** Returns the failure of a promise. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => new Error("It succeeded"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
}

/** Returns the code of a promise's failure. */
export async function codeOf(promise: Promise<unknown>): Promise<FailureCode> {
  return (await failureOf(promise)).code;
}

/** Moves the expiry of every invitation and reset link closer. */
export async function ageLinks(hours: number): Promise<void> {
  await withDatabase((db) =>
    db.execute(
      sql`update account_links set expires_at = expires_at - make_interval(hours => ${hours})`,
    ),
  );
}

/** Counts the promises that succeeded, and those that failed with each code. */
export async function tally(
  promises: Promise<unknown>[],
): Promise<Partial<Record<FailureCode | "succeeded", number>>> {
  const counts: Partial<Record<FailureCode | "succeeded", number>> = {};
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === "rejected" && !(result.reason instanceof Failure)) throw result.reason;
    const outcome = result.status === "fulfilled" ? "succeeded" : (result.reason as Failure).code;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
