import { and, eq, sql } from "drizzle-orm";
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
import { createLimiter } from "../runtime/limiter";

/** A point event as GET /activity answers it. */
export interface PointEvent {
  readonly id: string;
  readonly address: Address;
  readonly points: number;
  readonly event: string | null;
  readonly date: Date;
}

/** The largest offset to which the rows before a page are simply read. */
const SHALLOW_OFFSET_MAX = 1_000;
/** Events that may wait to be counted; with more, finding a page costs more than reading rows. */
const TAIL_MAX = 20_000;
/**
 * Limits for deep pages. They cost more than the first ones, so they leave most of the database's
 * connections to other work.
 */
const DEEP_READS = { atOnceMax: 2, waitingMax: 100, waitMs: 3_000 };

const listedColumns = {
  id: sql<string>`a.id`,
  address: sql`a.address`.mapWith(pointEvents.address),
  points: sql`a.points`.mapWith(pointEvents.points),
  event: sql<string | null>`a.event`,
  date: sql`a.created_at`.mapWith(pointEvents.createdAt),
};

const listEvents = hotQuery((db) =>
  db
    .select(listedColumns)
    .from(
      sql`list_activity(
        ${sql.placeholder("pointSystemId")}, ${sql.placeholder("offset")},
        ${sql.placeholder("limit")}, ${SHALLOW_OFFSET_MAX}, ${TAIL_MAX}
      ) a`,
    )
    .prepare("list_events"),
);

const listWalletEvents = hotQuery((db) =>
  db
    .select(listedColumns)
    .from(
      sql`list_wallet_activity(
        ${sql.placeholder("pointSystemId")},
        ${sql.param(sql.placeholder("address"), pointEvents.address)},
        ${sql.placeholder("offset")}, ${sql.placeholder("limit")}
      ) a`,
    )
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

const limitDeepReads = createLimiter(DEEP_READS);

/**
 * Lists a page of the events of a point system or of one wallet: newest first, then the higher id.
 * Voided events and corrections are left out; the two cancel out, so the listed points add up to the
 * wallets' totals.
 * @throws {Failure} `service_unavailable` when too many callers read deep pages
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
  const read = () =>
    address === null ? listEvents(slice) : listWalletEvents({ ...slice, address });
  const activity = await (offset > SHALLOW_OFFSET_MAX ? limitDeepReads(read) : read());
  return { activity, pagination };
}
