import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import type { RefusedCallsRange, StatisticsDays } from "../../domain/insights/overview-range";
import type { Member } from "../access/members";
import { type BoostedPointEvent, listBoostedActivity } from "../activity/activity";
import { listLeaderboard } from "../board/leaderboard";
import type { WalletEntry } from "../board/wallets";
import { getPointSystem, type PointSystem } from "../point-systems/point-systems";
import { listTriggers, type Trigger } from "../point-systems/triggers";
import { listNewestRewards, type RewardSummary } from "../rewards/list";
import { findNewestSeq } from "./live-feed";
import { listRefusedCalls } from "./refused-calls";
import { getStatistics, type Statistics } from "./statistics";

/** The ranges that the page's tabs choose. */
export interface OverviewRange {
  readonly days: StatisticsDays;
  readonly refused: RefusedCallsRange;
}

export interface PointSystemOverview {
  readonly pointSystem: PointSystem;
  readonly triggers: readonly Trigger[];
  /** Whether any API key has the point system in its scope. */
  readonly hasApiKey: boolean;
  readonly statistics: Statistics;
  readonly refusedCalls: readonly { readonly code: string; readonly calls: number }[];
  readonly leaders: readonly WalletEntry[];
  readonly latestEvents: readonly BoostedPointEvent[];
  /** The newest published rewards. */
  readonly rewards: readonly RewardSummary[];
  /** The newest `seq` that the latest events cover. */
  readonly latestSeq: number;
}

const LEADERS_SHOWN = 10;
const EVENTS_SHOWN = 20;
const REWARDS_SHOWN = 3;

/** Reads the overview of a point system. */
export async function getPointSystemOverview(
  member: Member,
  { days, refused }: OverviewRange,
): Promise<PointSystemOverview> {
  const { pointSystemId } = member;
  const [
    pointSystem,
    triggers,
    hasApiKey,
    statistics,
    refusedCalls,
    { leaderboard },
    rewards,
    latest,
  ] = await Promise.all([
    getPointSystem(member),
    listTriggers(member),
    hasSomeApiKey(pointSystemId),
    getStatistics(member, days),
    listRefusedCalls(member, refused),
    listLeaderboard(pointSystemId, { page: 1, limit: LEADERS_SHOWN }),
    listNewestRewards(member, REWARDS_SHOWN),
    listLatestEvents(member),
  ]);
  return {
    ...{
      pointSystem,
      triggers,
      hasApiKey,
      statistics,
      refusedCalls,
      rewards,
      leaders: leaderboard,
    },
    ...latest,
  };
}

async function listLatestEvents(
  member: Member,
): Promise<Pick<PointSystemOverview, "latestEvents" | "latestSeq">> {
  // The `seq` is read first: an event in between may come twice, but none is left out.
  const latestSeq = await findNewestSeq(member);
  const { activity } = await listBoostedActivity(member.pointSystemId, null, {
    page: 1,
    limit: EVENTS_SHOWN,
  });
  return { latestEvents: activity, latestSeq };
}

async function hasSomeApiKey(pointSystemId: string): Promise<boolean> {
  const keys = await withDatabase((db) =>
    db.execute(sql`
      select api_key_id from api_key_point_systems where point_system_id = ${pointSystemId} limit 1`),
  );
  return keys.length > 0;
}
