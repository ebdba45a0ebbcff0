import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Operator } from "../../auth/sessions";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { isUniqueViolation } from "../../db/errors";
import { passkeys } from "../../db/schema/factors";
import { operators } from "../../db/schema/operators";
import { sessions } from "../../db/schema/sessions";
import { Failure } from "../../domain/failure";
import { requireUuid } from "../../domain/uuid";
import { recordAudit } from "../access/audit-log";
import type { Actor, RequestOrigin } from "../access/members";
import { recordRefusal } from "../access/security-events";
import { isChallenge, makeChallenge, type Purpose, spendChallenge } from "./challenges";
import { addFirstRecoveryCodes, dropIdleRecoveryCodes, recordFactorChange } from "./factors";
import type { RelyingParty } from "./relying-party";

/** A passkey as its operator sees it. */
export interface PasskeyEntry {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const PASSKEYS_MAX = 20;
const SERVICE_NAME = "Points and Rewards";
const ENTRY = {
  id: passkeys.id,
  name: passkeys.name,
  createdAt: passkeys.createdAt,
  lastUsedAt: passkeys.lastUsedAt,
};

/** Lists an operator's passkeys, the oldest first. */
export function listPasskeys({ operatorId }: Actor): Promise<PasskeyEntry[]> {
  return withDatabase((db) =>
    db
      .select(ENTRY)
      .from(passkeys)
      .where(eq(passkeys.operatorId, operatorId))
      .orderBy(asc(passkeys.createdAt), asc(passkeys.id)),
  );
}

/** Makes the options with which a browser creates a passkey. */
export async function getRegistrationOptions({ operatorId, email }: Actor, party: RelyingParty) {
  const known = await withDatabase((db) =>
    db
      .select({ id: passkeys.credentialId })
      .from(passkeys)
      .where(eq(passkeys.operatorId, operatorId)),
  );
  if (known.length >= PASSKEYS_MAX) throw new Failure("too_many_passkeys");
  return generateRegistrationOptions({
    rpName: SERVICE_NAME,
    rpID: party.id,
    userName: email,
    userID: new Uint8Array(Buffer.from(operatorId)),
    challenge: await makeChallenge(`passkey of ${operatorId}`),
    excludeCredentials: known.map(({ id }) => ({ id: Buffer.from(id).toString("base64url") })),
    // A passkey signs in alone, so it holds the account's name and checks the person.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/**
 * Adds a passkey that a browser created.
 * @returns the recovery codes, if there were none
 * @throws {Failure} `passkey_refused`, `too_many_passkeys`
 */
export async function addPasskey(
  actor: Actor,
  party: RelyingParty,
  response: unknown,
  name: string,
): Promise<string[] | null> {
  const { operatorId } = actor;
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: (challenge) => isChallenge(challenge, `passkey of ${operatorId}`),
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch(refuse);
  if (!registrationInfo) throw new Failure("passkey_refused");
  const { id, publicKey, counter, transports } = registrationInfo.credential;
  const challenge = readChallenge(response);
  return inTransaction(async (tx) => {
    await spendChallenge(tx, challenge);
    await lockOperator(tx, operatorId);
    const [own] = await tx
      .select({ all: count() })
      .from(passkeys)
      .where(eq(passkeys.operatorId, operatorId));
    if ((own?.all ?? 0) >= PASSKEYS_MAX) throw new Failure("too_many_passkeys");
    await tx.insert(passkeys).values({
      operatorId,
      credentialId: Buffer.from(id, "base64url"),
      publicKey,
      signCount: counter,
      transports: transports ?? [],
      name,
    });
    await recordFactorChange(tx, actor, "factor.add", `passkey ${name}`);
    return addFirstRecoveryCodes(tx, operatorId);
  }).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw new Failure("passkey_refused");
    throw error;
  });
}

/**
 * Gives a passkey another name.
 * @throws {Failure} `not_found` when it is not the operator's
 */
export async function renamePasskey(actor: Actor, passkeyId: string, name: string): Promise<void> {
  await changePasskey(actor, passkeyId, "factor.rename", async (tx, id) => {
    await tx.update(passkeys).set({ name }).where(eq(passkeys.id, id));
  });
}

/**
 * Removes a passkey.
 * @throws {Failure} `not_found` when it is not the operator's
 */
export async function removePasskey(actor: Actor, passkeyId: string): Promise<void> {
  await changePasskey(actor, passkeyId, "factor.remove", async (tx, id) => {
    await tx.delete(passkeys).where(eq(passkeys.id, id));
    await dropIdleRecoveryCodes(tx, actor.operatorId);
  });
}

/**
 * Makes the options with which a browser asks for a passkey.
 * @param actor the operator whose confirmation it is; null for a sign-in, by any passkey
 */
export async function getPasskeyOptions(party: RelyingParty, actor: Actor | null) {
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: await makeChallenge(getPurpose(actor)),
    userVerification: "required",
  });
}

/**
 * Signs in by a passkey alone. Nobody can guess one, so there is no limit of attempts to run into.
 * @throws {Failure} `passkey_refused`, `account_disabled`
 */
export async function signInWithPasskey(
  party: RelyingParty,
  response: unknown,
  origin: RequestOrigin,
): Promise<Operator> {
  return redeemPasskey(party, response, { actor: null, origin }, async (tx, { name, operator }) => {
    const { disabledAt, ...signedIn } = operator;
    if (disabledAt) throw new Failure("account_disabled");
    const actor = { operatorId: operator.id, email: operator.email, ...origin };
    await recordAudit(tx, actor, {
      pointSystemId: null,
      action: "operator.sign_in",
      subject: operator.email,
      after: { with: `passkey ${name}` },
    });
    return signedIn;
  });
}

/**
 * Confirms the browser's operator by a passkey, as the password does, for ten minutes.
 * @param sessionId the browser's session, as the database stores it
 * @throws {Failure} `passkey_refused`
 */
export async function confirmWithPasskey(
  actor: Actor,
  sessionId: string | null,
  party: RelyingParty,
  response: unknown,
): Promise<void> {
  await redeemPasskey(party, response, { actor, origin: actor }, async (tx, { name, operator }) => {
    if (operator.id !== actor.operatorId) throw new Failure("passkey_refused");
    await tx
      .update(sessions)
      .set({ confirmedAt: sql`now()` })
      .where(and(eq(sessions.id, sessionId ?? ""), eq(sessions.operatorId, actor.operatorId)));
    await recordAudit(tx, actor, {
      pointSystemId: null,
      action: "operator.confirm",
      subject: actor.email,
      after: { with: `passkey ${name}` },
    });
  });
}

const getPurpose = (actor: Actor | null): Purpose =>
  actor ? `confirmation of ${actor.operatorId}` : "passkey sign-in";

async function redeemPasskey<Result>(
  party: RelyingParty,
  response: unknown,
  { actor, origin }: { actor: Actor | null; origin: RequestOrigin },
  work: (tx: Transaction, used: Awaited<ReturnType<typeof verify>>) => Promise<Result>,
): Promise<Result> {
  let account = actor?.email ?? null;
  try {
    const used = await verify(party, response, getPurpose(actor));
    account ??= used.operator.email;
    return await inTransaction(async (tx) => {
      await spendChallenge(tx, readChallenge(response));
      const standing = await tx
        .update(passkeys)
        .set({ signCount: used.signCount, lastUsedAt: sql`now()` })
        .where(eq(passkeys.id, used.id))
        .returning({ id: passkeys.id });
      if (standing.length === 0) throw new Failure("passkey_refused"); // It was removed meanwhile.
      return work(tx, used);
    });
  } catch (error) {
    await recordRefusal(error, account, origin);
    throw error;
  }
}

/** Verifies the answer of an authenticator, and finds its passkey. */
async function verify(party: RelyingParty, response: unknown, purpose: Purpose) {
  const { id: credentialId } = response as AuthenticationResponseJSON;
  const [row] = await withDatabase((db) =>
    db
      .select({
        id: passkeys.id,
        name: passkeys.name,
        credentialId: passkeys.credentialId,
        publicKey: passkeys.publicKey,
        signCount: passkeys.signCount,
        transports: passkeys.transports,
        operator: {
          id: operators.id,
          email: operators.email,
          name: operators.name,
          isAdministrator: operators.isAdministrator,
          disabledAt: operators.disabledAt,
        },
      })
      .from(passkeys)
      .innerJoin(operators, eq(operators.id, passkeys.operatorId))
      .where(eq(passkeys.credentialId, Buffer.from(String(credentialId), "base64url"))),
  );
  if (!row) throw new Failure("passkey_refused");
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: (challenge) => isChallenge(challenge, purpose),
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: Buffer.from(row.credentialId).toString("base64url"),
      publicKey: new Uint8Array(row.publicKey),
      counter: row.signCount,
      transports: row.transports,
    },
  }).catch(refuse);
  if (!verified) throw new Failure("passkey_refused");
  const { id, name, operator } = row;
  return { id, name, operator, signCount: authenticationInfo.newCounter };
}

/** Reads the challenge that an authenticator signed, after it was verified. */
function readChallenge(response: unknown): string {
  const { clientDataJSON } = (response as AuthenticationResponseJSON).response;
  return JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8")).challenge;
}

/** The library throws plain errors, whatever is wrong with an answer. */
function refuse(): never {
  throw new Failure("passkey_refused");
}

async function lockOperator(tx: Transaction, operatorId: string): Promise<void> {
  await tx
    .select({ id: operators.id })
    .from(operators)
    .where(eq(operators.id, operatorId))
    .for("no key update");
}

async function changePasskey(
  actor: Actor,
  passkeyId: string,
  action: "factor.rename" | "factor.remove",
  change: (tx: Transaction, id: string) => Promise<void>,
): Promise<void> {
  const id = requireUuid(passkeyId);
  await inTransaction(async (tx) => {
    const [own] = await tx
      .select({ name: passkeys.name })
      .from(passkeys)
      .where(and(eq(passkeys.id, id), eq(passkeys.operatorId, actor.operatorId)))
      .for("update");
    if (!own) throw new Failure("not_found");
    await change(tx, id);
    const subject = `passkey ${own.name}`;
    await recordFactorChange(tx, actor, action, subject);
  });
}
