import { and, desc, eq, sql } from "drizzle-orm";
import { hotQuery } from "../../db/client";
import { triggers } from "../../db/schema/point-systems";
import type { PointsRange } from "../../domain/ledger/points";
import { createSingleFlightCache } from "../runtime/single-flight-cache";

// This module is public: every answer of it can be on a public page.

/** A trigger as the public leaderboard names it. */
export interface WayToEarn {
  readonly name: string;
  readonly points: number;
  /** The limits of variable points. */
  readonly variable: PointsRange | null;
}

const KEEP_MS = 1_000;
const KEPT_MAX = 500;
/** The most ways on a page. */
const SHOWN_MAX = 20;

const selectWays = hotQuery((db) =>
  db
    .select({
      name: triggers.name,
      points: triggers.points,
      min: triggers.pointsMin,
      max: triggers.pointsMax,
    })
    .from(triggers)
    .where(
      and(
        eq(triggers.pointSystemId, sql.placeholder("pointSystemId")),
        eq(triggers.isActive, true),
        eq(triggers.isPublic, true),
      ),
    )
    .orderBy(desc(triggers.points), triggers.name, triggers.key)
    .limit(SHOWN_MAX)
    .prepare("list_ways_to_earn"),
);

const keep = createSingleFlightCache<readonly WayToEarn[]>({
  keepMs: KEEP_MS,
  entriesMax: KEPT_MAX,
});

/**
 * Lists the active triggers that the owner shows on the public leaderboard, those with the most points first, at most a
 * second old.
 */
export function listWaysToEarn(pointSystemId: string): Promise<readonly WayToEarn[]> {
  return keep(pointSystemId, async () => {
    const rows = await selectWays({ pointSystemId });
    return rows.map(({ name, points, min, max }) => ({
      ...{ name, points },
      variable: min === null || max === null ? null : { min, max },
    }));
  });
}
