import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lte, sql } from "drizzle-orm";
import type { Executor } from "../../db/client";
import { spentChallenges } from "../../db/schema/factors";
import { Failure } from "../../domain/failure";
import { getSharedSecret } from "../runtime/shared-secret";

// Proofs that this service asked for something: a challenge for a passkey, a ticket for the second
// step of a sign-in. They carry their own end and a MAC, so that asking stores nothing.

/** The purpose of a token, with the operator or the session that it is for. */
export type Purpose =
  | "passkey sign-in"
  | `passkey of ${string}`
  | `confirmation of ${string}`
  | `second step of ${string}`;

const LIFE_MS = 5 * 60_000;
const RANDOM_BYTES = 16;
const END_BYTES = 6;
const MAC_BYTES = 16;

async function sign(purpose: Purpose, body: Uint8Array): Promise<Buffer> {
  const key = await getSharedSecret("challenges");
  return createHmac("sha256", key).update(body).update(purpose).digest().subarray(0, MAC_BYTES);
}

/** Makes a token that is accepted for this purpose within five minutes. */
export async function makeChallenge(purpose: Purpose): Promise<Uint8Array<ArrayBuffer>> {
  const end = Buffer.alloc(END_BYTES);
  end.writeUIntBE(Date.now() + LIFE_MS, 0, END_BYTES);
  const body = Buffer.concat([randomBytes(RANDOM_BYTES), end]);
  return new Uint8Array(Buffer.concat([body, await sign(purpose, body)]));
}

/** Checks whether a token in base64url was made for this purpose and has not expired. */
export async function isChallenge(text: string, purpose: Purpose): Promise<boolean> {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== RANDOM_BYTES + END_BYTES + MAC_BYTES) return false;
  const body = bytes.subarray(0, RANDOM_BYTES + END_BYTES);
  const isOurs = timingSafeEqual(bytes.subarray(body.length), await sign(purpose, body));
  return isOurs && body.readUIntBE(RANDOM_BYTES, END_BYTES) > Date.now();
}

/**
 * Uses a token up, within the caller's transaction.
 * @throws {Failure} `passkey_refused` when it was used before
 */
export async function spendChallenge(executor: Executor, text: string): Promise<void> {
  await executor.delete(spentChallenges).where(lte(spentChallenges.expiresAt, sql`now()`));
  const hash = createHash("sha256").update(text).digest();
  const spent = await executor
    .insert(spentChallenges)
    .values({ hash, expiresAt: sql`now() + make_interval(secs => ${(2 * LIFE_MS) / 1_000})` })
    .onConflictDoNothing()
    .returning({ hash: spentChallenges.hash });
  if (spent.length === 0) throw new Failure("passkey_refused");
}
