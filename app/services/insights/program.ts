import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { tiers } from "../../db/schema/progress";
import { countSeasonDays, type ProgramWeek, TOP_WALLETS } from "../../domain/insights/program";
import type { Tier } from "../../domain/progress/tier";

/** The wallets of the all-time board that have a tier. */
export interface TierHolders {
  /** Null for the wallets that have no tier yet. */
  readonly tier: Tier | null;
  readonly wallets: number;
}

/** A season that has begun. */
export interface SeasonProgress {
  readonly slug: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly days: number;
  readonly daysPassed: number;
  /** The wallets on its board. */
  readonly wallets: number;
  /** The points that were earned in it; null while they are counted for the first time. */
  readonly points: number | null;
  /** The part of them that the first `TOP_WALLETS` wallets have, from 0 to 1. */
  readonly topShare: number | null;
}

export interface Program {
  /** The oldest first, the present one last; a few seconds behind the ledger. */
  readonly weeks: readonly ProgramWeek[];
  /** The highest tier first, those without one last. Without tiers, none. */
  readonly tiers: readonly TierHolders[];
  /** The newest first. */
  readonly seasons: readonly SeasonProgress[];
}

/** A tier with the wallets that have its points or more, and all wallets. */
interface TierRow extends Tier {
  readonly atLeast: number;
  readonly all: number;
}

const SEASONS_MAX = 5;
/** No wallet is before this one: those ahead of it at some points are those with more points. */
const FIRST_ADDRESS = "0".repeat(40);

/** Reads the figures of a point system's program, at a cost that does not grow with its ledger. */
export async function getProgram(pointSystemId: string, weeksCount: number): Promise<Program> {
  const [weeks, holders, seasons] = await Promise.all([
    listWeeks(pointSystemId, weeksCount),
    listTierHolders(pointSystemId),
    listSeasons(pointSystemId),
  ]);
  return { weeks, tiers: holders, seasons };
}

/** Lists the figures of the last weeks, the oldest first. */
export function listWeeks(pointSystemId: string, weeksCount: number): Promise<ProgramWeek[]> {
  return withDatabase((db) =>
    db.execute<ProgramWeek & Record<string, unknown>>(sql`
      select to_char(n.week, 'YYYY-MM-DD') as week,
        coalesce(n.new_wallets, 0)::float8 as "newWallets",
        coalesce(n.wallets - n.new_wallets, 0)::float8 as "returningWallets",
        coalesce(n.points, 0)::float8 as "earnedPoints", coalesce(n.spent_points, 0)::float8 as "spentPoints",
        coalesce(n.boost_points, 0)::float8 as "boostPoints", coalesce(n.capped_calls, 0)::float8 as "cappedCalls"
      from list_program_weeks(${pointSystemId}::uuid, ${weeksCount}::int) n
      order by n.week`),
  );
}

/** Counts the wallets of each tier at one moment, from the counts of the ranks. */
export async function listTierHolders(pointSystemId: string): Promise<TierHolders[]> {
  const rows = await withDatabase((db) =>
    db.execute<TierRow & Record<string, unknown>>(sql`
      select t.name, t.color, t.points_min::float8 as "pointsMin",
        case when t.points_min = 0 then b.wallets
          else rank_on_board(${pointSystemId}::uuid, t.points_min - 1, decode(${FIRST_ADDRESS}, 'hex')) - 1
        end::float8 as "atLeast",
        b.wallets::float8 as "all"
      from ${tiers} t
      cross join (select count_board(${pointSystemId}::uuid) as wallets offset 0) b
      where t.point_system_id = ${pointSystemId}
      order by t.points_min desc`),
  );
  let counted = 0;
  const holders: TierHolders[] = rows.map(({ atLeast, name, color, pointsMin }) => {
    const wallets = atLeast - counted;
    counted = atLeast;
    return { tier: { name, color, pointsMin }, wallets };
  });
  const [first] = rows;
  return first ? [...holders, { tier: null, wallets: first.all - counted }] : [];
}

/** Lists the newest seasons that have begun, with how far they are. */
export async function listSeasons(pointSystemId: string): Promise<SeasonProgress[]> {
  const rows = await withDatabase((db) =>
    db.execute<{
      slug: string;
      name: string;
      startsAtMs: number;
      endsAtMs: number;
      localStartMs: number;
      localEndMs: number;
      localNowMs: number;
      wallets: number;
      points: number | null;
      topPoints: number;
    }>(sql`
      select w.slug, w.name, extract(epoch from w.starts_at)::float8 * 1000 as "startsAtMs",
        extract(epoch from w.ends_at)::float8 * 1000 as "endsAtMs",
        extract(epoch from w.starts_at at time zone w.time_zone)::float8 * 1000 as "localStartMs",
        extract(epoch from w.ends_at at time zone w.time_zone)::float8 * 1000 as "localEndMs",
        extract(epoch from statement_timestamp() at time zone w.time_zone)::float8 * 1000 as "localNowMs",
        w.wallets::float8 as wallets, w.points::float8 as points, w.top_points::float8 as "topPoints"
      from list_seasons(${pointSystemId}::uuid, ${SEASONS_MAX}::int, ${TOP_WALLETS}::int) w
      order by w.starts_at desc, w.slug`),
  );
  return rows.map(({ slug, name, startsAtMs, endsAtMs, wallets: count, ...row }) => {
    const { points, topPoints, localStartMs, localEndMs, localNowMs } = row;
    const [startsAt, endsAt] = [new Date(startsAtMs), new Date(endsAtMs)];
    return {
      ...{ slug, name, startsAt, endsAt, wallets: count, points },
      ...countSeasonDays(new Date(localStartMs), new Date(localEndMs), new Date(localNowMs)),
      // The points are some seconds behind the board.
      topShare: points === null ? null : Math.min(1, topPoints / Math.max(1, points)),
    };
  });
}
