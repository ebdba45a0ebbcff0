import { setTimeout as sleep } from "node:timers/promises";
import { SMALL_FIXTURE } from "../support/server-process";
import type { Book, Call } from "./book";
import type { Random } from "./random";

const { pointSystemId, token } = SMALL_FIXTURE;
export const TRIGGER = "daily_login";
/** Longer than the service takes to answer. */
const ANSWER_MS_MAX = 15_000;
const WALLETS = 100_000;
const BATCH_ITEMS_MAX = 100;
/** A refusal that says that nothing was credited. */
const CERTAIN = new Set(["not_credited", "service_unavailable", "rate_limit_exceeded"]);

interface Verdict {
  readonly success: boolean;
  readonly code?: string;
}

const toAddress = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

/** Few wallets get many calls, so that the trigger limit refuses some. */
export const HOT_WALLETS = Array.from({ length: 20 }, (_, i) => toAddress(1 + i));

/** Sends a body; null when no whole answer came. */
async function post(url: string, body: object, headers: Record<string, string> = {}) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    return (await response.json()) as Verdict & { results?: Verdict[] };
  } catch {
    return null;
  }
}

/** @throws {Error} when the service answers a good call in a way that its documentation does not have */
function settle(call: Call, verdict: Verdict | null | undefined): void {
  if (!verdict?.success && verdict?.code !== "rate_limit_exceeded") call.isBroken = true;
  if (!verdict || verdict.code === "outcome_unknown") call.hasOpenAttempt = true;
  else if (verdict.success) call.outcome = "ok";
  else if (CERTAIN.has(verdict.code ?? ""))
    call.outcome = call.hasOpenAttempt ? "unknown" : "failed";
  else throw new Error(`Call ${call.number} was answered ${JSON.stringify(verdict)}`);
}

const toItem = ({ address }: Call) => ({
  triggerKey: TRIGGER,
  walletAddress: address,
});

/** Makes one call, and notes how it ended. */
export async function makeCall(url: string, call: Call): Promise<void> {
  const headers = { "Idempotency-Key": call.idempotencyKey };
  settle(call, await post(`${url}/trigger`, { pointSystemId, ...toItem(call) }, headers));
}

async function makeBatch(url: string, calls: readonly Call[]): Promise<void> {
  const items = calls.map((call) => ({ ...toItem(call), idempotencyKey: call.idempotencyKey }));
  const answer = await post(`${url}/trigger/batch`, { pointSystemId, items });
  for (const [i, call] of calls.entries()) settle(call, answer?.results?.[i] ?? answer);
}

/**
 * Makes calls without a pause until told to stop: by themselves, or many in a batch. Half of the calls whose outcome is
 * unknown are made again with their key, as backends do; the others stay unknown.
 */
export async function keepCalling(
  book: Book,
  {
    random,
    pickUrl,
    isOver,
    pauseMs = 0,
  }: { random: Random; pickUrl: () => string; isOver: () => boolean; pauseMs?: number },
): Promise<void> {
  while (!isOver()) {
    const open = () =>
      book.open(
        random.next() < 0.02 ? random.pick(HOT_WALLETS) : toAddress(random.between(100, WALLETS)),
      );
    const calls =
      random.next() < 0.2
        ? Array.from({ length: random.between(2, BATCH_ITEMS_MAX) }, open)
        : [open()];
    const isBatch = calls.length > 1;
    const listUnknown = () => calls.filter(({ outcome }) => outcome === "unknown");
    const isPatient = random.next() < 0.5;
    for (let unknown = listUnknown(); unknown.length > 0; unknown = listUnknown()) {
      if (isBatch) await makeBatch(pickUrl(), unknown);
      else await makeCall(pickUrl(), unknown[0] as Call);
      if (!isPatient || isOver()) break;
      await sleep(random.between(50, 300));
    }
    // A service that is down refuses at once.
    const waitMs = calls.every(({ outcome }) => outcome !== "ok") ? Math.max(20, pauseMs) : pauseMs;
    if (waitMs > 0) await sleep(waitMs);
  }
}
