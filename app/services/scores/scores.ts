import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import type { ScoreResult } from "../../domain/scores/score";
import { runEngine } from "./engine";
import { type KeptScores, readKeptScores, type StoredScore, storeScore } from "./rows";
import { getScoreSettings } from "./settings";
import { giveLeaseBack, noteAsked, takeLease } from "./wallets";

/** A score as the API answers it. */
export interface ScoreAnswer {
  /** The id of the computation. */
  readonly id: string;
  readonly result: ScoreResult;
  /** The time of the computation; null when it was computed for this answer. */
  readonly cachedAt: Date | null;
}

/**
 * The condition under which a stored score is used:
 * - `kept`: while it is fresh;
 * - `forced`: if it was computed in the last minute; otherwise no facts that were read before are
 *   used;
 * - `refresh`: if it was computed today; no caller waits for it.
 */
export type ScoreMode = "kept" | "forced" | "refresh";

const LEASE_POLL_MS = 200;
/** The longest wait for another process's computation. */
const LEASE_WAIT_MAX_MS = 17_000;
/** The most scores that this process computes at once, and those of one tenant among them. */
const COMPUTATIONS_MAX = 50;
const COMPUTATIONS_OF_TENANT_MAX = 25;

const DAY_MS = 86_400_000;
/** A wallet's score is computed at most once in this time, even when it is forced. */
const FORCED_AFTER_MS = 60_000;

interface Computation {
  readonly answer: Promise<ScoreAnswer>;
  readonly tenant: string;
}

/** The computations under way in this process, by address. */
const underWay = new Map<string, Computation>();

/**
 * Returns a wallet's score: the stored one while it is fresh, otherwise a new one.
 * @param findTenant finds the owner of the point systems for which it is computed: each has half of the computations at once
 * @throws {Failure} `score_unavailable` when no source answers and no score is stored,
 *   `score_missing` when an engine answers without a score
 */
export async function getScore(
  address: Address,
  mode: ScoreMode,
  findTenant: () => Promise<string>,
): Promise<ScoreAnswer> {
  const kept = await readKeptScores(address, getSource());
  if (mode !== "refresh") await noteAsked(address);
  const usable = findUsable(kept, mode);
  if (usable) return toCached(usable);
  // Only what nobody computes yet takes a place.
  const tenant = underWay.has(address) ? "" : await findTenant();
  const running = underWay.get(address);
  if (running) return orKept(running.answer, kept, mode);
  const ofTenant = [...underWay.values()].filter((each) => each.tenant === tenant);
  if (underWay.size >= COMPUTATIONS_MAX || ofTenant.length >= COMPUTATIONS_OF_TENANT_MAX) {
    if (kept.best) return toCached(kept.best);
    throw new Failure("score_unavailable");
  }
  const answer = compute(address, mode).finally(() => underWay.delete(address));
  underWay.set(address, { answer, tenant });
  return orKept(answer, kept, mode);
}

function getSource() {
  return getScoreSettings().serviceUrl === null ? "engine" : "remote";
}

function findUsable({ best, isFresh, ageMs }: KeptScores, mode: ScoreMode): StoredScore | null {
  if (mode === "kept") return isFresh ? best : null;
  // Days are in UTC.
  return ageMs < (mode === "forced" ? FORCED_AFTER_MS : Date.now() % DAY_MS) ? best : null;
}

function toCached({ id, result, computedAt }: StoredScore): ScoreAnswer {
  return { id, result, cachedAt: computedAt };
}

/**
 * Computes a score unless another process does; otherwise waits for that process's result. Callers
 * with different modes may wait for it; each decides by its own mode whether a stored score is
 * enough.
 */
async function compute(address: Address, mode: ScoreMode): Promise<ScoreAnswer> {
  const startedAt = performance.now();
  const leaseId = randomUUID();
  while (!(await takeLease(address, leaseId))) {
    const kept = await readKeptScores(address, getSource());
    if (performance.now() - startedAt > LEASE_WAIT_MAX_MS) {
      if (kept.best) return toCached(kept.best);
      throw new Failure("score_unavailable");
    }
    await sleep(LEASE_POLL_MS);
  }
  try {
    const kept = await readKeptScores(address, getSource());
    // Another process computed it while this one waited.
    const usable = findUsable(kept, mode);
    if (usable) return toCached(usable);
    // After a long wait there is no time left for a computation.
    if (performance.now() - startedAt > LEASE_POLL_MS * 10) {
      if (kept.best) return toCached(kept.best);
      throw new Failure("score_unavailable");
    }
    return await computeNow(address, kept, mode);
  } finally {
    await giveLeaseBack(address, leaseId);
  }
}

async function computeNow(
  address: Address,
  kept: KeptScores,
  mode: ScoreMode,
): Promise<ScoreAnswer> {
  const source = getSource();
  const answer = await runEngine(getScoreSettings(), address, mode);
  if (answer.kind !== "score") {
    throw new Failure(answer.kind === "unusable" ? "score_missing" : "score_unavailable");
  }
  const stored = await storeScore(address, source, answer);
  // A lower bound never replaces a complete score.
  if (!stored.isComplete && kept.best?.isComplete) return toCached(kept.best);
  return { id: stored.id, result: stored.result, cachedAt: null };
}

/**
 * Returns the stored score in place of a failure, except when a score was forced and the engine has
 * none.
 */
async function orKept(
  computing: Promise<ScoreAnswer>,
  { best }: KeptScores,
  mode: ScoreMode,
): Promise<ScoreAnswer> {
  return computing.catch((error: unknown) => {
    if (!best || !(error instanceof Failure)) throw error;
    if (mode === "forced" && error.code === "score_missing") throw error;
    return toCached(best);
  });
}
