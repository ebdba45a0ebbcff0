import { eq, sql } from "drizzle-orm";
import { replicatedQuery } from "../../db/replicated";
import { pointEvents, pointSystemTotals, wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import {
  getPageOffset,
  type PageRequest,
  type Pagination,
  paginate,
} from "../../domain/pagination";
import { type AppliedBoost, toAppliedBoost } from "../../domain/point-systems/boost";
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

/** A point event with the data that its caller added. */
export interface DetailedPointEvent extends PointEvent {
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The time that the caller gave; null when it gave none. */
  readonly occurredAt: Date | null;
}

/** A point event with the boost that made its points; null without one. */
export interface BoostedPointEvent extends PointEvent {
  readonly boost: AppliedBoost | null;
}

/** The largest offset to which the rows before a page are simply read. */
const SHALLOW_OFFSET_MAX = 1_000;
/** Events that may wait to be counted; with more, finding a page costs more than reading rows. */
const TAIL_MAX = 20_000;
/**
 * Limits for deep pages. They cost more than the first ones, so they leave most of the database's
 * connections to other work, and those of one point system a place to others.
 */
const DEEP_READS = { atOnceMax: 2, waitingMax: 100, waitMs: 3_000, partOfGroup: 1 / 2 };

const listedColumns = {
  id: sql<string>`a.id`,
  address: sql`a.address`.mapWith(pointEvents.address),
  points: sql`a.points`.mapWith(pointEvents.points),
  event: sql<string | null>`a.event`,
  date: sql`a.created_at`.mapWith(pointEvents.createdAt),
};

const detailedColumns = {
  ...listedColumns,
  metadata: sql`a.metadata`.mapWith(pointEvents.metadata),
  occurredAt: sql`a.occurred_at`.mapWith(pointEvents.occurredAt),
};

const boostedColumns = {
  ...listedColumns,
  basePoints: sql<number | null>`a.base_points`.mapWith(pointEvents.basePoints),
  boostFactor: sql<number | null>`a.boost_factor`.mapWith(pointEvents.boostFactor),
};

const eventsOfSystem = sql`list_activity(
  ${sql.placeholder("pointSystemId")}, ${sql.placeholder("offset")},
  ${sql.placeholder("limit")}, ${SHALLOW_OFFSET_MAX}, ${TAIL_MAX}
) a`;

const eventsOfWallet = sql`list_events(
  ${sql.placeholder("pointSystemId")}, ${sql.param(sql.placeholder("address"), pointEvents.address)},
  'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '-infinity', false, false,
  ${sql.placeholder("offset")}, ${sql.placeholder("limit")}
) a`;

const listEvents = replicatedQuery("shared", (db) =>
  db.select(listedColumns).from(eventsOfSystem).prepare("list_events"),
);
const listDetailedEvents = replicatedQuery("shared", (db) =>
  db.select(detailedColumns).from(eventsOfSystem).prepare("list_detailed_events"),
);
const listWalletEvents = replicatedQuery("shared", (db) =>
  db.select(listedColumns).from(eventsOfWallet).prepare("list_wallet_events"),
);
const listDetailedWalletEvents = replicatedQuery("shared", (db) =>
  db.select(detailedColumns).from(eventsOfWallet).prepare("list_detailed_wallet_events"),
);

const listBoostedEvents = replicatedQuery("shared", (db) =>
  db.select(boostedColumns).from(eventsOfSystem).prepare("list_boosted_events"),
);
const listBoostedWalletEvents = replicatedQuery("shared", (db) =>
  db.select(boostedColumns).from(eventsOfWallet).prepare("list_boosted_wallet_events"),
);

const selectWalletTotals = replicatedQuery("shared", (db) =>
  db
    .select({
      events:
        sql<number>`count_listed_events(${pointSystemTotals.pointSystemId}, ${sql.param(sql.placeholder("address"), wallets.address)}::bytea)`.mapWith(
          wallets.events,
        ),
      archivedBefore: pointSystemTotals.archivedBefore,
    })
    .from(pointSystemTotals)
    .where(eq(pointSystemTotals.pointSystemId, sql.placeholder("pointSystemId")))
    .prepare("select_wallet_totals"),
);

const limitDeepReads = createLimiter(DEEP_READS);

type Slice = Readonly<{ pointSystemId: string; limit: number; offset: number }>;

interface Page<Event> {
  readonly activity: Event[];
  readonly pagination: Pagination;
  /** The time before which events were archived: they are not listed, and not in the total. */
  readonly archivedBefore: Date | null;
}

/** The two reads of a page, which answer events with the same columns. */
interface Reads<Event> {
  readonly ofSystem: (slice: Slice) => Promise<Event[]>;
  readonly ofWallet: (slice: Slice & { readonly address: Address }) => Promise<Event[]>;
}

/**
 * Lists a page of the events of a point system or of one wallet: newest first, then the higher id.
 * Voided events and corrections are left out; the two cancel out, so the listed points add up to the
 * wallets' totals.
 * @throws {Failure} `service_unavailable` when too many callers read deep pages
 */
export function listActivity(
  pointSystemId: string,
  address: Address | null,
  request: PageRequest,
): Promise<Page<PointEvent>> {
  const reads = { ofSystem: listEvents, ofWallet: listWalletEvents };
  return readPage<PointEvent>(pointSystemId, address, request, reads);
}

/** Lists a page as `listActivity` does, each event with the data that its caller added. */
export function listDetailedActivity(
  pointSystemId: string,
  address: Address | null,
  request: PageRequest,
): Promise<Page<DetailedPointEvent>> {
  const reads = { ofSystem: listDetailedEvents, ofWallet: listDetailedWalletEvents };
  return readPage<DetailedPointEvent>(pointSystemId, address, request, reads);
}

/** Lists a page as `listActivity` does, each event with the boost that made its points. */
export async function listBoostedActivity(
  pointSystemId: string,
  address: Address | null,
  request: PageRequest,
): Promise<Page<BoostedPointEvent>> {
  const reads = { ofSystem: listBoostedEvents, ofWallet: listBoostedWalletEvents };
  const { activity, ...page } = await readPage(pointSystemId, address, request, reads);
  const toEvent = ({ basePoints, boostFactor, ...event }: (typeof activity)[number]) => ({
    ...event,
    boost: toAppliedBoost(basePoints, boostFactor),
  });
  return { ...page, activity: activity.map(toEvent) };
}

async function readPage<Event>(
  pointSystemId: string,
  address: Address | null,
  request: PageRequest,
  { ofSystem, ofWallet }: Reads<Event>,
): Promise<Page<Event>> {
  const { events: total, archivedBefore } = await readTotals(pointSystemId, address);
  const pagination = paginate(request, total);
  const offset = getPageOffset(request, total);
  if (offset === null) return { activity: [], pagination, archivedBefore };
  const slice = { pointSystemId, limit: request.limit, offset };
  const read = () => (address === null ? ofSystem(slice) : ofWallet({ ...slice, address }));
  const activity = await (offset > SHALLOW_OFFSET_MAX
    ? limitDeepReads(read, pointSystemId)
    : read());
  return { activity, pagination, archivedBefore };
}

/** Reads the number of listed events of a point system or of a wallet. */
async function readTotals(
  pointSystemId: string,
  address: Address | null,
): Promise<{ events: number; archivedBefore: Date | null }> {
  if (address !== null) {
    const [wallet] = await selectWalletTotals({ pointSystemId, address });
    if (wallet) return wallet;
  }
  const { events, archivedEvents, archivedBefore } = await findTotals(pointSystemId);
  return { events: address === null ? events - archivedEvents : 0, archivedBefore };
}
