import { randomBytes } from "node:crypto";
import { and, eq, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { type Executor, inTransaction, withDatabase } from "../../db/client";
import { authenticators } from "../../db/schema/factors";
import { Failure } from "../../domain/failure";
import type { Actor } from "../access/members";
import { decryptText, encryptText } from "../keyring/encryption";
import { getKeyring } from "../keyring/keyring";
import type { Keyring } from "../keyring/keys";
import { beginFactorAttempt, forgetAttempt } from "../runtime/attempt-limit";
import { addFirstRecoveryCodes, dropIdleRecoveryCodes, recordFactorChange } from "./factors";

const ISSUER = "Points and Rewards";
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** The steps before and after the present one whose codes count, for clocks that differ. */
const STEPS_BESIDE = 1;

function createTotp(secret: Uint8Array, label: string): TOTP {
  const buffer = new Uint8Array(secret).buffer;
  return new TOTP({
    issuer: ISSUER,
    label,
    secret: new Secret({ buffer }),
    period: PERIOD_SECONDS,
  });
}

/**
 * Makes a new secret for an operator's authenticator app, which counts once a code of it is entered.
 * @returns the secret as apps take it, by hand and as a QR code
 * @throws {Failure} `authenticator_exists`, `gift_card_keys_missing`
 */
export async function beginAuthenticator({
  operatorId,
  email,
}: Actor): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(SECRET_BYTES);
  const sealed = sealSecret(operatorId, secret);
  const made = await withDatabase((db) =>
    db
      .insert(authenticators)
      .values({ operatorId, ...sealed })
      .onConflictDoUpdate({
        target: authenticators.operatorId,
        set: sealed,
        setWhere: isNull(authenticators.confirmedAt),
      })
      .returning({ operatorId: authenticators.operatorId }),
  );
  if (made.length === 0) throw new Failure("authenticator_exists");
  const totp = createTotp(secret, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * Takes the first code of a new authenticator app, which is a second factor from then on.
 * @returns the recovery codes, if there were none
 * @throws {Failure} `code_wrong`, `too_many_codes`, `gift_card_keys_missing`
 */
export async function confirmAuthenticator(actor: Actor, code: string): Promise<string[] | null> {
  const { operatorId } = actor;
  const attempt = await beginFactorAttempt(operatorId);
  return forgetAttempt(attempt, async (tx) => {
    const isNew = isNull(authenticators.confirmedAt);
    if (!(await takeCode(tx, operatorId, code, isNew))) {
      throw new Failure("code_wrong", { field: "code" });
    }
    await tx
      .update(authenticators)
      .set({ confirmedAt: sql`now()` })
      .where(eq(authenticators.operatorId, operatorId));
    await recordFactorChange(tx, actor, "factor.add", "authenticator app");
    return addFirstRecoveryCodes(tx, operatorId);
  });
}

/** Removes an operator's authenticator app. */
export async function removeAuthenticator(actor: Actor): Promise<void> {
  const { operatorId } = actor;
  await inTransaction(async (tx) => {
    const removed = await tx
      .delete(authenticators)
      .where(eq(authenticators.operatorId, operatorId))
      .returning({ operatorId: authenticators.operatorId });
    if (removed.length === 0) throw new Failure("not_found");
    await dropIdleRecoveryCodes(tx, operatorId);
    await recordFactorChange(tx, actor, "factor.remove", "authenticator app");
  });
}

/** Uses a code of an operator's authenticator app up. Tells whether it was one. */
export function spendCode(executor: Executor, operatorId: string, code: string): Promise<boolean> {
  return takeCode(executor, operatorId, code, isNotNull(authenticators.confirmedAt));
}

/** Takes a code of the present step or one beside it, whose step is later than the last one used. */
async function takeCode(
  executor: Executor,
  operatorId: string,
  typed: string,
  state: ReturnType<typeof isNull>,
): Promise<boolean> {
  const own = and(eq(authenticators.operatorId, operatorId), state);
  // Locked, so that the code counts for the secret that it was made with.
  const [row] = await executor.select().from(authenticators).where(own).for("update");
  if (!row) return false;
  const token = typed.replace(/\s/g, "");
  const timestamp = Date.now();
  const delta = createTotp(openSecret(row), "").validate({
    token,
    timestamp,
    window: STEPS_BESIDE,
  });
  if (delta === null) return false;
  const step = Math.floor(timestamp / 1_000 / PERIOD_SECONDS) + delta;
  const taken = await executor
    .update(authenticators)
    .set({ lastStep: step })
    .where(and(own, lt(authenticators.lastStep, step)))
    .returning({ operatorId: authenticators.operatorId });
  return taken.length > 0;
}

// The secrets are encrypted with the keyring of gift card codes.

type StoredSecret = Pick<
  typeof authenticators.$inferSelect,
  "operatorId" | "secret" | "secretCiphertext" | "secretNonce" | "secretKeyId"
>;

/** The purpose and the holder: a ciphertext that is moved to another row does not decrypt. */
function toAssociatedData(operatorId: string): Buffer {
  return Buffer.from(`authenticator ${operatorId}`.toLowerCase(), "utf8");
}

/**
 * Encrypts an operator's secret with the first key, as the columns of its row.
 * @throws {Failure} `gift_card_keys_missing`
 */
function sealSecret(
  operatorId: string,
  secret: Uint8Array,
  keyring: Keyring = getKeyring(),
): Omit<StoredSecret, "operatorId"> {
  const text = Buffer.from(secret).toString("hex");
  const { ciphertext, nonce, keyId } = encryptText(keyring, toAssociatedData(operatorId), text);
  const [secretCiphertext, secretNonce] = [Buffer.from(ciphertext), Buffer.from(nonce)];
  return { secret: null, secretCiphertext, secretNonce, secretKeyId: keyId };
}

/**
 * Reads an operator's secret.
 * @throws {Failure} `gift_card_keys_missing` when its key is missing
 * @throws {Error} when the row was changed
 */
function openSecret(
  { operatorId, secret, secretCiphertext, secretNonce, secretKeyId }: StoredSecret,
  given?: Keyring,
): Uint8Array {
  if (secret) return secret;
  if (!secretCiphertext || !secretNonce || !secretKeyId) throw new Error("There is no secret");
  const text = { ciphertext: secretCiphertext, nonce: secretNonce, keyId: secretKeyId };
  const data = toAssociatedData(operatorId);
  const keyring = given ?? getKeyring();
  if (!keyring.has(secretKeyId)) throw new Failure("gift_card_keys_missing");
  return Buffer.from(decryptText(keyring, data, text), "hex");
}

/**
 * Encrypts the secrets that an earlier version stored as they are. Any number of processes may do so
 * at once.
 * @returns the number of secrets
 * @throws {Failure} `gift_card_keys_missing`: they stay as they are, and count on
 */
export async function sealPlainSecrets(): Promise<number> {
  const rows = await withDatabase((db) =>
    db.select().from(authenticators).where(isNotNull(authenticators.secret)),
  );
  let sealed = 0;
  for (const row of rows) if (await renew(row, getKeyring())) sealed += 1;
  return sealed;
}

/**
 * Re-encrypts the secrets that are not under the first key. It may run while servers that have both
 * keys take codes.
 * @returns the number of re-encrypted secrets, and of those that do not decrypt
 */
export async function rotateAuthenticatorKeys(
  keyring: Keyring,
): Promise<{ rotated: number; damaged: number }> {
  const [current = ""] = keyring.keys();
  const isOther = or(isNotNull(authenticators.secret), ne(authenticators.secretKeyId, current));
  const rows = await withDatabase((db) => db.select().from(authenticators).where(isOther));
  let [rotated, damaged] = [0, 0];
  for (const row of rows) {
    try {
      if (await renew(row, keyring)) rotated += 1;
    } catch {
      damaged += 1;
    }
  }
  return { rotated, damaged };
}

/** Encrypts a row's secret with the first key. A row that was changed meanwhile stays as it is. */
async function renew(row: StoredSecret, keyring: Keyring): Promise<boolean> {
  const sealed = sealSecret(row.operatorId, openSecret(row, keyring), keyring);
  const isSame = row.secret
    ? eq(authenticators.secret, Buffer.from(row.secret))
    : eq(authenticators.secretNonce, Buffer.from(row.secretNonce ?? []));
  const changed = await withDatabase((db) =>
    db
      .update(authenticators)
      .set(sealed)
      .where(and(eq(authenticators.operatorId, row.operatorId), isSame))
      .returning({ operatorId: authenticators.operatorId }),
  );
  return changed.length > 0;
}
