import { desc, eq } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { scores } from "../../db/schema/scores";
import type { Address } from "../../domain/address";
import type { ScoreResult } from "../../domain/scores/score";
import type { Member } from "../access/members";

/** A computation of a wallet's score. */
export interface ScoreComputation {
  readonly id: string;
  readonly computedAt: Date;
  readonly isComplete: boolean;
  readonly source: "engine" | "remote";
  readonly result: ScoreResult;
}

const SHOWN_MAX = 30;

/**
 * Lists a wallet's last computations, newest first. A score belongs to no point system, so any
 * member may see it.
 */
export function listScoreComputations(
  _member: Member,
  address: Address,
): Promise<ScoreComputation[]> {
  return withDatabase((db) =>
    db
      .select({
        id: scores.id,
        computedAt: scores.computedAt,
        isComplete: scores.isComplete,
        source: scores.source,
        result: scores.result,
      })
      .from(scores)
      .where(eq(scores.address, address))
      .orderBy(desc(scores.computedAt))
      .limit(SHOWN_MAX),
  );
}
