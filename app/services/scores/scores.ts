import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import type { ScoreResult } from "../../domain/scores/score";
import { runEngine } from "./engine";
import { type KeptScores, readKeptScores, type StoredScore, storeScore } from "./rows";
import { getScoreSettings } from "./settings";
import { giveLeaseBack, noteAsked, takeLease } from "./wallets";

/** A score as it is answered. */
export interface ScoreAnswer {
  /** Names the computation. */
  readonly id: string;
  readonly result: ScoreResult;
  /** When it was computed, unless that was just now for this answer. */
  readonly cachedAt: Date | null;
}

/**
 * `kept`: a score that is kept is good while it is. `forced`: one that was computed in the last
 * minute is, and nothing that was read before. `refresh`: one of today is; nobody waits for it.
 */
export type ScoreMode = "kept" | "forced" | "refresh";

const LEASE_POLL_MS = 200;
/** Another process has computed by then, or is given up. */
const LEASE_WAIT_MAX_MS = 17_000;
/** Addresses whose scores are computed at once by this process. */
const COMPUTATIONS_MAX = 50;

const DAY_MS = 86_400_000;
/** A wallet's score is computed once in this time, whoever forces it. */
const FORCED_AFTER_MS = 60_000;

/** What is under way in this process, by address. */
const underWay = new Map<string, Promise<ScoreAnswer>>();

/**
 * A wallet's score: the one that is kept while it is good, else computed anew.
 * @throws {Failure} `score_unavailable` when nothing answers and nothing is kept, `score_missing`
 *   when an engine answers without a score
 */
export async function getScore(address: Address, mode: ScoreMode): Promise<ScoreAnswer> {
  const kept = await readKeptScores(address, getSource());
  if (mode !== "refresh") await noteAsked(address);
  const usable = findUsable(kept, mode);
  if (usable) return toCached(usable);
  const running = underWay.get(address);
  if (running) return orKept(running, kept, mode);
  if (underWay.size >= COMPUTATIONS_MAX) {
    if (kept.best) return toCached(kept.best);
    throw new Failure("score_unavailable");
  }
  const computing = compute(address, mode).finally(() => underWay.delete(address));
  underWay.set(address, computing);
  return orKept(computing, kept, mode);
}

function getSource() {
  return getScoreSettings().serviceUrl === null ? "engine" : "remote";
}

function findUsable({ best, isFresh, ageMs }: KeptScores, mode: ScoreMode): StoredScore | null {
  if (mode === "kept") return isFresh ? best : null;
  // Days are those of UTC.
  return ageMs < (mode === "forced" ? FORCED_AFTER_MS : Date.now() % DAY_MS) ? best : null;
}

function toCached({ id, result, computedAt }: StoredScore): ScoreAnswer {
  return { id, result, cachedAt: computedAt };
}

/**
 * Computes when no other process does; otherwise waits for what that one finds. Several may wait for
 * it who asked in different ways: each of them settles for what is kept, or does not.
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
    // Somebody else did it while this one waited.
    const usable = findUsable(kept, mode);
    if (usable) return toCached(usable);
    // Who waited for long has no time left for a computation of its own.
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
  // A lower bound takes no complete score's place.
  if (!stored.isComplete && kept.best?.isComplete) return toCached(kept.best);
  return { id: stored.id, result: stored.result, cachedAt: null };
}

/** What is kept does in place of a failure; not where a score was forced and an engine has none. */
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
