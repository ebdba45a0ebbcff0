import { randomUUID } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { scores } from "../../db/schema/scores";
import type { Address } from "../../domain/address";
import { SCORE_RULES } from "../../domain/scores/rules";
import type { ScoreResult } from "../../domain/scores/score";

/**
 * The times for which scores are fresh: 30 days for a complete score, 15 minutes for a lower bound.
 */
const COMPLETE_GOOD_FOR_MS = 30 * 86_400_000;
const INCOMPLETE_GOOD_FOR_MS = 15 * 60_000;

export type ScoreSource = "engine" | "remote";

/** A computation as its row stores it. */
export interface StoredScore {
  readonly id: string;
  readonly computedAt: Date;
  readonly isComplete: boolean;
  readonly result: ScoreResult;
}

/** The computations of a wallet that an answer can come from. */
export interface KeptScores {
  /** The computation that is answered: the last complete one, otherwise the last one. */
  readonly best: StoredScore | null;
  /** Whether it is fresh, so that nothing is computed. */
  readonly isFresh: boolean;
  /** The age of the last computation, in milliseconds. */
  readonly ageMs: number;
}

const COLUMNS = {
  id: scores.id,
  computedAt: scores.computedAt,
  isComplete: scores.isComplete,
  result: scores.result,
  algorithmVersion: scores.algorithmVersion,
  source: scores.source,
};

/** Reads a wallet's last complete computation and its last one of any kind. */
export async function readKeptScores(address: Address, source: ScoreSource): Promise<KeptScores> {
  const [[last], [complete]] = await withDatabase((db) => {
    const newest = (isComplete: boolean) =>
      db
        .select(COLUMNS)
        .from(scores)
        .where(
          and(eq(scores.address, address), isComplete ? eq(scores.isComplete, true) : undefined),
        )
        .orderBy(desc(scores.computedAt))
        .limit(1);
    return Promise.all([newest(false), newest(true)]);
  });
  const getAgeMs = (row: StoredScore | undefined) =>
    row ? Date.now() - row.computedAt.getTime() : Number.POSITIVE_INFINITY;
  const isOurs = (row: typeof last) =>
    row?.source === source && row.algorithmVersion === SCORE_RULES.algorithmVersion;
  return {
    best: complete ?? last ?? null,
    isFresh:
      (isOurs(complete) && getAgeMs(complete) < COMPLETE_GOOD_FOR_MS) ||
      (isOurs(last) && getAgeMs(last) < INCOMPLETE_GOOD_FOR_MS),
    ageMs: isOurs(last) ? getAgeMs(last) : Number.POSITIVE_INFINITY,
  };
}

/** Stores a computation. */
export async function storeScore(
  address: Address,
  source: ScoreSource,
  computed: { readonly result: ScoreResult; readonly isComplete: boolean },
): Promise<StoredScore> {
  const { result, isComplete } = computed;
  const row = { id: randomUUID(), computedAt: new Date(), isComplete, result };
  await withDatabase((db) =>
    db.insert(scores).values({
      ...row,
      address,
      source,
      algorithmVersion: SCORE_RULES.algorithmVersion,
      finalScore: result.finalScore,
    }),
  );
  return row;
}

const HISTORY_KEPT_DAYS = 400;
const REMOVED_MAX = 1_000;

/**
 * Removes computations that are no longer needed, as a job.
 * @returns whether there may be more
 */
export async function removeOldScores(): Promise<boolean> {
  const removed = await withDatabase((db) =>
    db.execute(sql`
      delete from ${scores} where id in (
        select s.id from ${scores} s
        where s.computed_at < now() - make_interval(days => ${HISTORY_KEPT_DAYS})
          and exists (
            select 1 from ${scores} newer
            where newer.address = s.address and newer.computed_at > s.computed_at
              and newer.is_complete >= s.is_complete
          )
        order by s.computed_at limit ${REMOVED_MAX}
      ) returning 1`),
  );
  return removed.length === REMOVED_MAX;
}
