import { listActivity, type PointEvent } from "./activity";
import { listLeaderboard } from "./leaderboard";
import type { Member } from "./members";
import { getPointSystem, type PointSystem } from "./point-systems";
import { listTriggers, type Trigger } from "./triggers";
import type { WalletEntry } from "./wallets";

export interface PointSystemOverview {
  readonly pointSystem: PointSystem;
  readonly triggers: readonly Trigger[];
  readonly leaders: readonly WalletEntry[];
  readonly latestEvents: readonly PointEvent[];
}

const LEADERS_SHOWN = 10;
const EVENTS_SHOWN = 20;

/** What there is to see of a point system at a glance. */
export async function getPointSystemOverview(member: Member): Promise<PointSystemOverview> {
  const { pointSystemId } = member;
  const [pointSystem, triggers, { leaderboard }, { activity }] = await Promise.all([
    getPointSystem(member),
    listTriggers(member),
    listLeaderboard(pointSystemId, { page: 1, limit: LEADERS_SHOWN }),
    listActivity(pointSystemId, null, { page: 1, limit: EVENTS_SHOWN }),
  ]);
  return { pointSystem, triggers, leaders: leaderboard, latestEvents: activity };
}
