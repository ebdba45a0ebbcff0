import type { Sql } from "postgres";
import { waitInTime } from "../domain/deadline";
import { Failure } from "../domain/failure";
import { processState } from "../process/state";
import { getDatabaseOptions, openReadPools } from "./client";
import { getOwnFingerprint } from "./migrations";
import { createPool, type DatabaseOptions, type Pool } from "./pool";

// Reads on streaming replicas: docs/decisions/079-read-replicas.md.

/** The time between two looks at the primary and its replicas. */
const LOOK_EVERY_MS = 250;
/** A replica that answers no look for this long is away. */
const LOOK_MS_MAX = 1_000;
/** A read that takes longer on a replica is repeated on the primary. */
const READ_MS_MAX = 2_000;

export type ReplicaState =
  | "serving"
  | "lagging"
  | "away"
  | "promoted"
  | "other database"
  | "other version";

/** A position in the primary's log, and a time before which every commit lies before it. */
interface Sample {
  readonly position: number;
  readonly at: number;
}

/** An answer to a look. Positions of one system, timeline and database can be compared. */
interface Look {
  readonly isStandby: boolean;
  readonly position: number | null;
  readonly identity: string;
  readonly isServed: boolean;
}

export interface Replica {
  readonly options: DatabaseOptions;
  /** The address without role and password. */
  readonly host: string;
  pools: ReturnType<typeof openReadPools>;
  watcher: Sql;
  isLooking: boolean;
  problem: Exclude<ReplicaState, "serving" | "lagging"> | null;
  lagBytes: number;
  /** The time by `performance.now()` until which it has every commit. */
  freshUntil: number;
  lastState: ReplicaState;
}

interface State {
  readonly options: ReplicaOptions;
  readonly replicas: readonly Replica[];
  primary: Sql;
  identity: string;
  samples: Sample[];
  readonly timer: NodeJS.Timeout;
  isLooking: boolean;
}

interface ReplicaOptions {
  readonly urls: readonly string[];
  /** A replica that is further behind is not asked. */
  readonly lagMaxMs: number;
  /** Is called whenever a replica's state has changed. */
  readonly onChange: (host: string, state: ReplicaState) => void;
}

const holder = processState<{ current?: State | undefined }>("replicas", () => ({}));

/** Opens the connections to replicas, beside the open database. Without any, nothing changes. */
export function openReplicas(options: ReplicaOptions): void {
  if (options.urls.length === 0) return;
  if (holder.current) throw new Error("The replicas are open already");
  const primary = getDatabaseOptions();
  const timer = setInterval(() => void lookAtAll(), LOOK_EVERY_MS).unref();
  holder.current = {
    options,
    replicas: options.urls.map((url) => createReplica({ ...primary, address: url }, url)),
    primary: openWatcher(primary),
    identity: "",
    samples: [],
    timer,
    isLooking: false,
  };
  void lookAtAll();
}

/** Closes the connections to replicas. Calls under way are answered by the primary. */
export async function closeReplicas(): Promise<void> {
  const state = holder.current;
  if (!state) return;
  holder.current = undefined;
  clearInterval(state.timer);
  await Promise.all([
    state.primary.end({ timeout: 1 }),
    ...state.replicas.flatMap(({ pools, watcher }) => [
      ...listPools(pools).map(({ sql }) => sql.end({ timeout: 1 })),
      watcher.end({ timeout: 1 }),
    ]),
  ]);
}

function createReplica(primary: DatabaseOptions, url: string): Replica {
  const statementTimeoutMs = Math.min(primary.statementTimeoutMs, READ_MS_MAX);
  const options = { ...primary, statementTimeoutMs, deadlineMs: READ_MS_MAX };
  const { host, port, searchParams } = new URL(url);
  const socket = searchParams.get("host");
  return {
    options,
    host: socket ? `${socket}:${port || 5432}` : host,
    pools: openReadPools(options),
    watcher: openWatcher(options),
    isLooking: false,
    problem: "away",
    lagBytes: 0,
    freshUntil: Number.NEGATIVE_INFINITY,
    lastState: "away",
  };
}

const openWatcher = (options: DatabaseOptions) =>
  createPool({ ...options, connectionsMax: 1, statementTimeoutMs: LOOK_MS_MAX, deadlineMs: 0 });

const listPools = ({ shared, reads }: Replica["pools"]): Pool[] => [shared, ...reads];

/** Reads where a server is in the log, and of which system, timeline and version it is. */
async function look(sql: Sql): Promise<Look> {
  const query = sql<Look[]>`
    select s.is_standby as "isStandby", (
        case when s.is_standby then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0'
      )::float8 as position,
      concat_ws(' ', (select system_identifier from pg_control_system()), (
        case when s.is_standby then (
          select greatest(c.timeline_id, r.min_recovery_end_timeline)
          from pg_control_checkpoint() c, pg_control_recovery() r
        ) else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end
      ), (select oid from pg_database where datname = current_database())) as identity,
      exists (
        select from drizzle.served_schemas where fingerprint = ${getOwnFingerprint()}
      ) as "isServed"
    from (select pg_is_in_recovery() as is_standby) s`;
  const [row] = await waitInTime(query, LOOK_MS_MAX, () => new Failure("service_unavailable"));
  if (!row) throw new Error("The look gave no answer");
  return row;
}

/** Looks at the primary, then at each replica that is not under way. */
async function lookAtAll(): Promise<void> {
  const state = holder.current;
  if (!state || state.isLooking) return;
  state.isLooking = true;
  const at = performance.now();
  try {
    const { identity, isStandby, position } = await look(state.primary);
    if (identity !== state.identity) state.samples = [];
    state.identity = identity;
    const oldest = at - state.options.lagMaxMs - LOOK_MS_MAX;
    state.samples = state.samples.filter((sample) => sample.at >= oldest);
    if (!isStandby && position !== null) state.samples.push({ position, at });
  } catch {
    // Without new samples, no replica stays fresh.
    void state.primary.end({ timeout: 0 }).catch(() => {});
    if (holder.current === state) state.primary = openWatcher(getDatabaseOptions());
  }
  state.isLooking = false;
  for (const replica of state.replicas) void lookAtReplica(state, replica);
}

async function lookAtReplica(state: State, replica: Replica): Promise<void> {
  if (replica.isLooking) return;
  replica.isLooking = true;
  const { watcher } = replica;
  try {
    judge(state, replica, await look(watcher));
  } catch {
    if (holder.current === state) leaveOut(replica);
  }
  replica.isLooking = false;
  const now = getState(state, replica);
  if (now !== replica.lastState && holder.current === state) {
    replica.lastState = now;
    state.options.onChange(replica.host, now);
  }
}

function judge({ identity, samples }: State, replica: Replica, found: Look): void {
  const { isStandby, position, isServed } = found;
  replica.problem = null;
  if (!isStandby) replica.problem = "promoted";
  else if (found.identity !== identity) replica.problem = "other database";
  else if (!isServed) replica.problem = "other version";
  if (replica.problem !== null || position === null) return;
  const reached = samples.findLast((sample) => sample.position <= position);
  replica.freshUntil = Math.max(replica.freshUntil, reached?.at ?? Number.NEGATIVE_INFINITY);
  replica.lagBytes = Math.max(0, (samples.at(-1)?.position ?? position) - position);
}

/** Leaves a replica out until a look succeeds. Its reads under way fail, and are repeated on the primary. */
export function leaveOut(replica: Replica): void {
  const old = [...listPools(replica.pools).map(({ sql }) => sql), replica.watcher];
  replica.problem = "away";
  replica.freshUntil = Number.NEGATIVE_INFINITY;
  replica.pools = openReadPools(replica.options);
  replica.watcher = openWatcher(replica.options);
  for (const sql of old) void sql.end({ timeout: 0 }).catch(() => {});
}

function getState({ options }: State, { problem, freshUntil }: Replica): ReplicaState {
  if (problem) return problem;
  return performance.now() - freshUntil > options.lagMaxMs ? "lagging" : "serving";
}

/** Lists the replicas with their states, for probes and metrics; none where none is set. */
export function listReplicas() {
  const state = holder.current;
  return (state?.replicas ?? []).map((replica) => ({
    host: replica.host,
    state: state ? getState(state, replica) : ("away" as const),
    lagBytes: replica.lagBytes,
    /** Null before it was seen to have anything. */
    lagSeconds: Number.isFinite(replica.freshUntil)
      ? (performance.now() - replica.freshUntil) / 1_000
      : null,
  }));
}

/** Checks whether there are replicas. */
export const hasReplicas = () => holder.current !== undefined;

/**
 * Chooses a replica that has every commit until a time.
 * @param question the same one chooses the same replica, as long as that serves
 * @returns null when none has them
 */
export function chooseReplica(question: string, committedAt: number): Replica | null {
  const state = holder.current;
  if (!state) return null;
  let hash = 0;
  for (let i = 0; i < question.length; i += 1) hash = (hash * 31 + question.charCodeAt(i)) >>> 0;
  const first = hash % state.replicas.length;
  const inTurn = [...state.replicas.slice(first), ...state.replicas.slice(0, first)];
  const isFit = (replica: Replica) =>
    getState(state, replica) === "serving" && replica.freshUntil > committedAt;
  return inTurn.find(isFit) ?? null;
}
