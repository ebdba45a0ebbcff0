import { and, asc, desc, eq } from "drizzle-orm";
import { withDatabase } from "../db/client";
import { pointSystemTotals } from "../db/schema/ledger";
import { pointSystems, triggers } from "../db/schema/point-systems";
import { Failure } from "../domain/failure";
import { parseUuid } from "../domain/uuid";
import { listActivity, type PointEvent } from "./activity";
import { listLeaderboard } from "./leaderboard";
import type { WalletEntry } from "./wallets";

// What an operator sees of point systems. Each query says whose they are: another operator's id
// finds nothing.

export interface PointSystem {
  readonly id: string;
  readonly name: string;
  readonly shortId: string;
  readonly slug: string | null;
  readonly createdAt: Date;
  readonly wallets: number;
  readonly events: number;
}

interface Trigger {
  readonly key: string;
  readonly name: string;
  readonly points: number;
  readonly isActive: boolean;
}

export interface PointSystemOverview {
  readonly pointSystem: PointSystem;
  readonly triggers: readonly Trigger[];
  readonly leaders: readonly WalletEntry[];
  readonly latestEvents: readonly PointEvent[];
}

const LEADERS_SHOWN = 10;
const EVENTS_SHOWN = 20;

/** An operator's point systems, newest first. */
export async function listPointSystems(operatorId: string): Promise<PointSystem[]> {
  return selectPointSystems(operatorId, null);
}

/**
 * What there is to see of a point system at a glance.
 * @param pointSystemId as the browser sent it
 * @throws {Failure} `not_found` when the operator has no such point system
 */
export async function getPointSystemOverview(
  operatorId: string,
  pointSystemId: string,
): Promise<PointSystemOverview> {
  const id = parseUuid(pointSystemId);
  const [pointSystem] = id ? await selectPointSystems(operatorId, id) : [];
  if (!pointSystem) throw new Failure("not_found");
  const [listedTriggers, { leaderboard }, { activity }] = await Promise.all([
    listTriggers(operatorId, pointSystem.id),
    listLeaderboard(pointSystem.id, { page: 1, limit: LEADERS_SHOWN }),
    listActivity(pointSystem.id, null, { page: 1, limit: EVENTS_SHOWN }),
  ]);
  return {
    pointSystem,
    triggers: listedTriggers,
    leaders: leaderboard,
    latestEvents: activity,
  };
}

/** @param id null for all of them */
async function selectPointSystems(operatorId: string, id: string | null): Promise<PointSystem[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: pointSystems.id,
        name: pointSystems.name,
        shortId: pointSystems.shortId,
        slug: pointSystems.slug,
        createdAt: pointSystems.createdAt,
        wallets: pointSystemTotals.wallets,
        events: pointSystemTotals.events,
      })
      .from(pointSystems)
      .leftJoin(pointSystemTotals, eq(pointSystemTotals.pointSystemId, pointSystems.id))
      .where(
        and(
          eq(pointSystems.operatorId, operatorId),
          id === null ? undefined : eq(pointSystems.id, id),
        ),
      )
      .orderBy(desc(pointSystems.createdAt), asc(pointSystems.name)),
  );
  return rows.map((row) => ({ ...row, wallets: row.wallets ?? 0, events: row.events ?? 0 }));
}

function listTriggers(operatorId: string, pointSystemId: string): Promise<Trigger[]> {
  return withDatabase((db) =>
    db
      .select({
        key: triggers.key,
        name: triggers.name,
        points: triggers.points,
        isActive: triggers.isActive,
      })
      .from(triggers)
      .innerJoin(pointSystems, eq(pointSystems.id, triggers.pointSystemId))
      .where(
        and(eq(pointSystems.operatorId, operatorId), eq(triggers.pointSystemId, pointSystemId)),
      )
      .orderBy(desc(triggers.isActive), asc(triggers.name), asc(triggers.key)),
  );
}
