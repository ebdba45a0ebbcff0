import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import { withDatabase } from "../../db/client";
import { auditLog } from "../../db/schema/audit-log";
import type { SecurityAction } from "../../domain/access/audit";
import { getNetworkPrefix } from "../../domain/client-network";
import { Failure, type FailureCode } from "../../domain/failure";
import { processState } from "../../process/state";
import { getSharedSecret } from "../runtime/shared-secret";
import type { RequestOrigin } from "./members";

/** A refusal that the audit log records. */
interface SecurityEvent {
  readonly action: SecurityAction;
  /** The account's e-mail address, as typed; null when the request named none. */
  readonly account: string | null;
  readonly origin: RequestOrigin;
  /** The refused thing, in words. */
  readonly subject?: string;
}

/** The failures that are security events. */
const EVENTS: Partial<Record<FailureCode, SecurityAction>> = {
  sign_in_refused: "security.sign_in_failed",
  account_disabled: "security.sign_in_failed",
  code_wrong: "security.code_wrong",
  passkey_refused: "security.code_wrong",
  too_many_codes: "security.lock_out",
  password_wrong: "security.password_wrong",
  role_missing: "security.permission_refused",
  too_many_sign_ins: "security.lock_out",
};

/** The most events that a process writes in a minute: a flood must not fill the disk. */
const EVENTS_A_MINUTE = 120;
const MINUTE_MS = 60_000;
const REPEATS_KNOWN_MAX = 10_000;
const ACCOUNT_HEX = 16;

const state = processState("security events", () => ({
  /** Refusals that were written within the last minute; their repetitions are not. */
  repeats: new LRUCache<string, true>({ max: REPEATS_KNOWN_MAX, ttl: MINUTE_MS }),
  minute: 0,
  written: 0,
  left: 0,
}));

/** Returns the name of an account in security events: an HMAC, since people mistype passwords there. */
export async function nameAccount(email: string): Promise<string> {
  const hmac = createHmac("sha256", await getSharedSecret("security-events")).update(email);
  return `account ${hmac.digest("hex").slice(0, ACCOUNT_HEX)}`;
}

/**
 * Writes a security event to the audit log, with the account's HMAC and the network's prefix. The
 * same refusal is written once a minute, except failed sign-ins, which are limited anyway. Beyond
 * 120 a minute, events are counted, and the number stands in the next one.
 */
export async function recordSecurityEvent(event: SecurityEvent): Promise<void> {
  const { action, account, origin, subject } = event;
  const network = getNetworkPrefix(origin.ip);
  const actor = account === null ? "no account" : await nameAccount(account);
  const isRepeated = action !== "security.sign_in_failed" && isRepetition([action, actor, network]);
  if (isRepeated || !takeFromBudget()) return;
  const { left } = state;
  state.left = 0;
  await withDatabase((db) =>
    db.insert(auditLog).values({
      actor,
      ip: network,
      requestId: origin.requestId,
      action,
      subject: subject ?? "",
      after: left > 0 ? { eventsLeftOutBefore: left } : null,
    }),
  );
}

/** Runs work, and records the refusals among its failures as security events. */
export async function recordingRefusals<T>(
  account: string,
  origin: RequestOrigin,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await recordRefusal(error, account, origin);
    throw error;
  }
}

/** Records an error as a security event, if it is a refusal that counts as one. */
export async function recordRefusal(
  error: unknown,
  account: string | null,
  origin: RequestOrigin,
): Promise<void> {
  const action = error instanceof Failure ? EVENTS[error.code] : undefined;
  if (action) await recordSecurityEvent({ action, account, origin });
}

function isRepetition(parts: readonly string[]): boolean {
  const key = parts.join(" ");
  if (state.repeats.has(key)) return true;
  state.repeats.set(key, true);
  return false;
}

function takeFromBudget(): boolean {
  const minute = Math.floor(Date.now() / MINUTE_MS);
  if (minute !== state.minute) Object.assign(state, { minute, written: 0 });
  state.written += 1;
  if (state.written <= EVENTS_A_MINUTE) return true;
  state.left += 1;
  return false;
}
