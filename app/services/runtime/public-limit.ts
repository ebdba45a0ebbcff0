import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { toArrayLiteral } from "../../db/array-literal";
import { hotQuery, withDatabase } from "../../db/client";
import { publicCalls } from "../../db/schema/limits";
import { getClientNetwork } from "../../domain/client-network";
import { Failure } from "../../domain/failure";
import { createBatcher } from "./batcher";
import { DATABASE_DEADLINE_MS } from "./deadlines";
import { getSharedSecret } from "./shared-secrets";

const CALLS_MAX = 60;
const WINDOW = "interval '60 seconds'";
/** Networks whose refusal is remembered; the others are refused by the database. */
const REFUSED_NETWORKS_MAX = 50_000;
const REMOVED_ROWS_MAX = 5_000;

/** How many calls a network makes in a batch. */
interface Demand {
  readonly subject: Buffer;
  readonly calls: number;
}

interface Admission {
  /** The subject in hex. */
  subject: string;
  admitted: number;
  /** Until the next call is admitted; null while there is room. */
  waitMs: number | null;
}

// `clock_timestamp()` is read once the row is locked: whoever waited for it is judged by the moment
// at which it is written. The rows are locked in one order, hence without deadlocks.
const admitCalls = hotQuery((db) => ({
  execute: (demands: readonly Demand[]) =>
    db.$client.unsafe<Admission[]>(
      `insert into public_calls as p (network, called_at, admitted, expires_at)
       select q.network, array_fill(clock_timestamp(), array[q.calls]), q.calls,
         clock_timestamp() + ${WINDOW}
       from unnest($1::bytea[], $2::int[]) as q(network, calls)
       order by q.network
       on conflict (network) do update set (called_at, admitted, expires_at) = (
         select recent.calls || array_fill(moment.now, array[room.calls]), room.calls,
           case when room.calls > 0 then moment.now + ${WINDOW} else p.expires_at end
         from (select clock_timestamp() as now) moment
         cross join lateral (
           select array(
             select c from unnest(p.called_at) c where c > moment.now - ${WINDOW} order by c
           ) as calls
         ) recent
         cross join lateral (
           select least(excluded.admitted, ${CALLS_MAX} - cardinality(recent.calls)) as calls
         ) room
       )
       returning encode(network, 'hex') as subject, admitted,
         (extract(epoch from called_at[cardinality(called_at) - ${CALLS_MAX - 1}] + ${WINDOW}
           - clock_timestamp()) * 1000)::float8 as "waitMs"`,
      [
        toArrayLiteral(demands.map(({ subject }) => subject)),
        toArrayLiteral(demands.map(({ calls }) => String(Math.min(calls, CALLS_MAX)))),
      ],
      { prepare: true },
    ),
}));

/** By network, by this process's clock: until then a flood costs no statement. */
const refusedUntil = new LRUCache<string, number>({ max: REFUSED_NETWORKS_MAX });

let subjectKey: Promise<Buffer> | undefined;

/** Null when the call is let through; otherwise for how long its network is refused. */
const askForAdmission = createBatcher<string, number | null>({
  run: admitBatch,
  callsMax: 256,
  waitingMax: 10_000,
  deadlineMs: DATABASE_DEADLINE_MS,
});

/**
 * Counts a call to a public endpoint against its network: 60 within any minute, over all of them and
 * at all instances, by the database's clock. Refused calls do not count, so that waiting for as long
 * as the failure says is enough.
 * @param budget of what is counted apart from the endpoints
 * @throws {Failure} `too_many_requests`
 */
export async function admitPublicCall(ip: string, budget?: "hint"): Promise<void> {
  const network = (budget ? `${budget} ` : "") + getClientNetwork(ip);
  const waitMs = getKnownWait(network) ?? (await askForAdmission(network));
  if (waitMs === null) return;
  throw new Failure("too_many_requests", {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}

/** How long a network is still refused, if that is known already. */
function getKnownWait(network: string): number | null {
  const until = refusedUntil.get(network);
  if (until === undefined) return null;
  const waitMs = until - performance.now();
  if (waitMs > 0) return waitMs;
  refusedUntil.delete(network);
  return null;
}

async function admitBatch(networks: readonly string[]): Promise<(number | null)[]> {
  const calls = new Map<string, number>();
  for (const network of networks) {
    if (getKnownWait(network) === null) calls.set(network, (calls.get(network) ?? 0) + 1);
  }
  const admitted = calls.size > 0 ? await admit(calls) : new Map<string, number>();
  return networks.map((network) => {
    const left = admitted.get(network) ?? 0;
    admitted.set(network, left - 1);
    return left > 0 ? null : (getKnownWait(network) ?? 0);
  });
}

/** @returns how many calls of each network are let through; who got fewer is remembered as refused */
async function admit(calls: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const key = await getSubjectKey();
  const subjects = new Map(
    [...calls.keys()].map((network) => {
      const subject = createHmac("sha256", key).update(network).digest();
      return [subject.toString("hex"), { network, subject, calls: calls.get(network) ?? 0 }];
    }),
  );
  const rows = await admitCalls([...subjects.values()]);
  const answeredAt = performance.now();
  return new Map(
    rows.map(({ subject, admitted, waitMs }) => {
      const { network = "", calls = 0 } = subjects.get(subject) ?? {};
      if (admitted < calls) refusedUntil.set(network, answeredAt + Math.max(waitMs ?? 0, 0));
      return [network, admitted];
    }),
  );
}

function getSubjectKey(): Promise<Buffer> {
  subjectKey ??= getSharedSecret("public-limit").catch((error: unknown) => {
    subjectKey = undefined;
    throw error;
  });
  return subjectKey;
}

/**
 * Removes networks that have not called for a minute.
 * @returns whether there are more
 */
export async function removeOldPublicCalls(): Promise<boolean> {
  const removed = await withDatabase((db) =>
    db.execute(sql`
      delete from ${publicCalls} where network = any(array(
        select network from ${publicCalls} where expires_at <= clock_timestamp()
        order by expires_at limit ${REMOVED_ROWS_MAX} for update skip locked
      ))`),
  );
  return removed.count === REMOVED_ROWS_MAX;
}
