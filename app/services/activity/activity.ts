import { and, desc, eq, sql } from "drizzle-orm";
import { hotQuery } from "../../db/client";
import { pointEvents, wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import {
  getPageOffset,
  type PageRequest,
  type Pagination,
  paginate,
} from "../../domain/pagination";
import { findTotals } from "../point-systems/totals";

/** A point event as GET /activity answers it. */
export interface PointEvent {
  readonly id: string;
  readonly address: Address;
  readonly points: number;
  readonly event: string | null;
  readonly date: Date;
}

const eventColumns = {
  id: pointEvents.id,
  address: pointEvents.address,
  points: pointEvents.points,
  event: pointEvents.event,
  date: pointEvents.createdAt,
};
/**
 * Matches an event that is neither a correction nor voided by one. The two cancel out, so the
 * listed points add up to the wallets' totals. The condition stays a look-up for each row, whatever
 * the planner's statistics say: docs/decisions/012.
 */
const isNotVoided = sql`${pointEvents.voids} is null and (
  select c.id from ${pointEvents} c
  where c.point_system_id = ${pointEvents.pointSystemId} and c.voids = ${pointEvents.id} limit 1
) is null`;
const newestFirst = [desc(pointEvents.createdAt), desc(pointEvents.id)] as const;

const listEvents = hotQuery((db) =>
  db
    .select(eventColumns)
    .from(pointEvents)
    .where(and(eq(pointEvents.pointSystemId, sql.placeholder("pointSystemId")), isNotVoided))
    .orderBy(...newestFirst)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .prepare("list_events"),
);

const listWalletEvents = hotQuery((db) =>
  db
    .select(eventColumns)
    .from(pointEvents)
    .where(
      and(
        eq(pointEvents.pointSystemId, sql.placeholder("pointSystemId")),
        eq(pointEvents.address, sql.param(sql.placeholder("address"), pointEvents.address)),
        isNotVoided,
      ),
    )
    .orderBy(...newestFirst)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .prepare("list_wallet_events"),
);

const selectWalletEventCount = hotQuery((db) =>
  db
    .select({ events: wallets.events })
    .from(wallets)
    .where(
      and(
        eq(wallets.pointSystemId, sql.placeholder("pointSystemId")),
        eq(wallets.address, sql.param(sql.placeholder("address"), wallets.address)),
      ),
    )
    .prepare("select_wallet_event_count"),
);

/**
 * Lists a page of the events of a point system or of one wallet: newest first, then the higher id.
 */
export async function listActivity(
  pointSystemId: string,
  address: Address | null,
  request: PageRequest,
): Promise<{ activity: PointEvent[]; pagination: Pagination }> {
  const total =
    address === null
      ? (await findTotals(pointSystemId)).events
      : ((await selectWalletEventCount({ pointSystemId, address }))[0]?.events ?? 0);
  const pagination = paginate(request, total);
  const offset = getPageOffset(request, total);
  if (offset === null) return { activity: [], pagination };
  const slice = { pointSystemId, limit: request.limit, offset };
  const activity =
    address === null ? await listEvents(slice) : await listWalletEvents({ ...slice, address });
  return { activity, pagination };
}
