import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";
import { getClientNetwork } from "../../domain/client-network";
import { Failure } from "../../domain/failure";
import { toAppliedBoost } from "../../domain/point-systems/boost";
import { processState } from "../../process/state";
import type { Member } from "../access/members";
import type { BoostedPointEvent } from "../activity/activity";

/** The events since a follower's last batch. */
export interface LiveBatch {
  /** The events, newest first, without corrections and voided events. */
  readonly events: readonly BoostedPointEvent[];
  /** The number of further events that are not in the batch, counted up to a bound. */
  readonly skipped: number;
  /** The `seq` after which the next batch continues. */
  readonly seq: number;
}

export interface LiveFollower {
  /** The `seq` after which it wants events. */
  readonly afterSeq: number;
  /** Called from time to time: checks whether the follower may still see the events. */
  readonly isWelcome: () => Promise<boolean>;
  readonly onBatch: (batch: LiveBatch) => void;
  /** Called once when no more batches will come, but not when the follower left by itself. */
  readonly onEnd: () => void;
}

const POLL_MS = 1_000;
const LIFE_MS = 10 * 60_000;
const WELCOME_CHECK_MS = 60_000;
const FOLLOWERS_MAX = 200;
const FOLLOWERS_PER_OPERATOR_MAX = 5;
/** The most followers of one network, so that one cannot take all places. */
const FOLLOWERS_PER_NETWORK_MAX = 50;
const RETRY_AFTER_SECONDS = 30;
const BATCH_EVENTS_MAX = 100;
const SKIPPED_MAX = 10_000;

interface Following {
  readonly operatorId: string;
  readonly network: string;
  readonly onBatch: LiveFollower["onBatch"];
  /** Ends the stream from the server's side. */
  readonly end: () => void;
  seq: number;
}

interface State {
  /**
   * The followers by point system. Each point system has one loop that polls for all its followers.
   */
  readonly feeds: Map<string, Set<Following>>;
  isClosed: boolean;
}

// One state for the process: the server's own entry closes the streams that a page's copy of this
// module opened.
const state = processState<State>("live feed", () => ({ feeds: new Map(), isClosed: false }));

/** Finds the `seq` of a point system's newest event; 0 when it has none. */
export async function findNewestSeq({ pointSystemId }: Member): Promise<number> {
  const [newest] = await withDatabase((db) =>
    db.execute<{ seq: number }>(sql`
      select seq::float8 as seq from point_events where point_system_id = ${pointSystemId}
      order by seq desc limit 1`),
  );
  return newest?.seq ?? 0;
}

/**
 * Sends a point system's new events to a follower, for ten minutes at most.
 * @returns a function by which the follower leaves
 * @throws {Failure} `service_unavailable` when too many follow already, or the process is stopping
 */
export function followLiveFeed(
  { pointSystemId, actor: { operatorId, ip } }: Member,
  { afterSeq, isWelcome, onBatch, onEnd }: LiveFollower,
): () => void {
  const all = [...state.feeds.values()].flatMap((followers) => [...followers]);
  const network = getClientNetwork(ip);
  const own = all.filter((other) => other.operatorId === operatorId);
  const near = all.filter((other) => other.network === network);
  const isFull =
    all.length >= FOLLOWERS_MAX ||
    own.length >= FOLLOWERS_PER_OPERATOR_MAX ||
    near.length >= FOLLOWERS_PER_NETWORK_MAX;
  if (state.isClosed || isFull) {
    throw new Failure("service_unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  const leave = () => {
    clearTimeout(lifeTimer);
    clearInterval(welcomeTimer);
    return followers.delete(following);
  };
  const end = () => {
    if (leave()) onEnd();
  };
  const lifeTimer = setTimeout(end, LIFE_MS).unref();
  const welcomeTimer = setInterval(() => {
    // A database that is unavailable for a moment is no reason to end the stream.
    isWelcome().then(
      (isStill) => isStill || end(),
      () => {},
    );
  }, WELCOME_CHECK_MS).unref();
  const following: Following = { operatorId, network, onBatch, end, seq: afterSeq };
  const followers = joinFeed(pointSystemId, following);
  return leave;
}

/** Ends every stream and refuses new ones, because the process is stopping. */
export function closeLiveStreams(): void {
  state.isClosed = true;
  for (const followers of state.feeds.values()) {
    for (const { end } of [...followers]) end();
  }
}

function joinFeed(pointSystemId: string, following: Following): Set<Following> {
  const joined = state.feeds.get(pointSystemId);
  if (joined) return joined.add(following);
  const followers = new Set([following]);
  state.feeds.set(pointSystemId, followers);
  void pollWhileFollowed(pointSystemId, followers);
  return followers;
}

async function pollWhileFollowed(
  pointSystemId: string,
  followers: ReadonlySet<Following>,
): Promise<void> {
  while (followers.size > 0) {
    // A failed read is repeated; a follower notices at most a pause.
    await handOverNewEvents(pointSystemId, followers).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, POLL_MS).unref());
  }
  state.feeds.delete(pointSystemId);
}

async function handOverNewEvents(
  pointSystemId: string,
  followers: ReadonlySet<Following>,
): Promise<void> {
  // All followers have the same `seq`, except those who have just joined.
  const seqs = new Set([...followers].map(({ seq }) => seq));
  const newest = await listNewestEvents(pointSystemId, Math.min(...seqs));
  for (const seq of seqs) {
    const batch = await takeBatch(pointSystemId, newest, seq);
    if (!batch) continue;
    for (const follower of followers) {
      if (follower.seq !== seq) continue;
      follower.seq = batch.seq;
      if (batch.events.length > 0) follower.onBatch(batch);
    }
  }
}

interface NewEvent extends BoostedPointEvent {
  readonly seq: number;
  readonly isNotVoided: boolean;
}

/**
 * Lists the newest events after a `seq`, one more than a batch holds. No event of a lower `seq`
 * appears later, because `seq` ascends in the order of commits.
 */
async function listNewestEvents(
  pointSystemId: string,
  afterSeq: number,
): Promise<readonly NewEvent[]> {
  const rows = await withDatabase((db) =>
    db.execute<{
      seq: number;
      id: string;
      address: Address;
      points: number;
      basePoints: number | null;
      boostFactor: number | null;
      event: string | null;
      dateMs: number;
      isNotVoided: boolean;
    }>(sql`
      select n.seq::float8 as seq, n.id, '0x' || encode(n.address, 'hex') as address,
        n.points::float8 as points, n.event, n.base_points::float8 as "basePoints",
        n.boost_factor::float8 as "boostFactor",
        (extract(epoch from n.created_at) * 1000)::float8 as "dateMs",
        n.voids is null and (
          select c.id from point_events c
          where c.point_system_id = ${pointSystemId} and c.voids = n.id limit 1
        ) is null as "isNotVoided"
      from (
        select * from point_events where point_system_id = ${pointSystemId} and seq > ${afterSeq}
        order by seq desc limit ${BATCH_EVENTS_MAX + 1}
      ) n
      order by n.seq desc`),
  );
  return rows.map(({ dateMs, basePoints, boostFactor, ...event }) => ({
    ...event,
    boost: toAppliedBoost(basePoints, boostFactor),
    date: new Date(dateMs),
  }));
}

async function takeBatch(
  pointSystemId: string,
  newest: readonly NewEvent[],
  afterSeq: number,
): Promise<LiveBatch | null> {
  const fresh = newest.filter(({ seq }) => seq > afterSeq);
  const last = fresh[0];
  if (!last) return null;
  const isTooMany = fresh.length > BATCH_EVENTS_MAX;
  const shown = fresh.slice(0, BATCH_EVENTS_MAX);
  return {
    events: shown
      .filter(({ isNotVoided }) => isNotVoided)
      .map(({ seq, isNotVoided, ...event }) => event),
    skipped: isTooMany ? await countEvents(pointSystemId, afterSeq, shown.at(-1)?.seq ?? 0) : 0,
    seq: last.seq,
  };
}

/** Counts the credits between two events, up to a bound. */
async function countEvents(
  pointSystemId: string,
  afterSeq: number,
  beforeSeq: number,
): Promise<number> {
  const [counted] = await withDatabase((db) =>
    db.execute<{ events: number }>(sql`
      select count(*) filter (where s.voids is null and s.moved_events is null)::int as events from (
        select voids, moved_events from point_events
        where point_system_id = ${pointSystemId} and seq > ${afterSeq} and seq < ${beforeSeq}
        order by seq desc limit ${SKIPPED_MAX}
      ) s`),
  );
  return counted?.events ?? 0;
}
