import { createHmac } from "node:crypto";
import { PgDialect } from "drizzle-orm/pg-core";
import { LRUCache } from "lru-cache";
import { hotQuery } from "../../db/client";
import { publicCalls } from "../../db/schema/limits";
import { CALL_LIMITS, type Room } from "../../domain/call-limits";
import { getClientNetwork } from "../../domain/client-network";
import { DATABASE_DEADLINE_MS } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { createBatcher } from "./batcher";
import { removeExpired } from "./remove-old-rows";
import { getSharedSecret } from "./shared-secret";
import {
  type Admission,
  buildAdmission,
  type Demand,
  type SlidingWindow,
  toRetryAfterSeconds,
} from "./sliding-window";

const WINDOW: SlidingWindow = {
  table: "public_calls",
  subject: "network",
  moments: "called_at",
  callsMax: CALL_LIMITS.public.calls,
  seconds: CALL_LIMITS.public.seconds,
};
/** The most networks whose refusal is remembered; others are refused by the database. */
const REFUSED_NETWORKS_MAX = 50_000;

const dialect = new PgDialect();

const admitCalls = hotQuery((db) => ({
  execute(demands: readonly Demand[]) {
    const { sql: text, params } = dialect.sqlToQuery(buildAdmission(WINDOW, demands));
    return db.$client.unsafe<Admission[]>(text, params as string[], { prepare: true });
  },
}));

/**
 * The times until which networks are refused, by this process's clock. Until then a flood costs no
 * statement.
 */
const refusedUntil = new LRUCache<string, number>({ max: REFUSED_NETWORKS_MAX });

/** Asks for the admission of a call: the room after it, or the time for which its network is refused. */
const askForAdmission = createBatcher<string, Room | { readonly waitMs: number }>({
  name: "public-limit",
  run: admitBatch,
  callsMax: 256,
  waitingMax: 10_000,
  deadlineMs: DATABASE_DEADLINE_MS,
});

/**
 * Counts a call to a public endpoint against its network: at most 60 within any minute, over all
 * public endpoints and instances, by the database's clock. Refused calls do not count, so waiting
 * for the time in the failure is enough.
 * @param budget the name of a separate budget; the endpoints share one without a name
 * @returns the room that is left
 * @throws {Failure} `too_many_requests`
 */
export async function admitPublicCall(ip: string, budget?: "hint"): Promise<Room> {
  const network = (budget ? `${budget} ` : "") + getClientNetwork(ip);
  const knownMs = getKnownWait(network);
  const admission = knownMs === null ? await askForAdmission(network) : { waitMs: knownMs };
  if ("callsLeft" in admission) return admission;
  throw new Failure("too_many_requests", {
    retryAfterSeconds: toRetryAfterSeconds(admission.waitMs),
  });
}

/** Finds the time for which a network is still refused, if this process knows it. */
function getKnownWait(network: string): number | null {
  const until = refusedUntil.get(network);
  if (until === undefined) return null;
  const waitMs = until - performance.now();
  if (waitMs > 0) return waitMs;
  refusedUntil.delete(network);
  return null;
}

async function admitBatch(
  networks: readonly string[],
): Promise<(Room | { readonly waitMs: number })[]> {
  const calls = new Map<string, number>();
  for (const network of networks) {
    if (getKnownWait(network) === null) calls.set(network, (calls.get(network) ?? 0) + 1);
  }
  const admitted = calls.size > 0 ? await admit(calls) : new Map<string, Admitted>();
  return networks.map((network) => {
    const { calls: waiting, room } = admitted.get(network) ?? {};
    if (!waiting || !room) return { waitMs: getKnownWait(network) ?? 0 };
    // The last one of the batch leaves what the statement left.
    const callsLeft = room.callsLeft + waiting - 1;
    admitted.set(network, { calls: waiting - 1, room });
    return { ...room, callsLeft };
  });
}

/** The admitted calls of a network, and the room after all of them. */
interface Admitted {
  readonly calls: number;
  readonly room: Room;
}

/**
 * Admits the calls of a batch. A network that got fewer than it requested is remembered as refused.
 * @returns the admitted calls of each network
 */
async function admit(calls: ReadonlyMap<string, number>): Promise<Map<string, Admitted>> {
  const key = await getSharedSecret("public-limit");
  const subjects = new Map(
    [...calls.keys()].map((network) => {
      const subject = createHmac("sha256", key).update(network).digest();
      return [subject.toString("hex"), { network, subject, calls: calls.get(network) ?? 0 }];
    }),
  );
  const rows = await admitCalls([...subjects.values()]);
  const answeredAt = performance.now();
  return new Map(
    rows.map(({ subject, admitted, waitMs, left, oldestMs }) => {
      const { network = "", calls = 0 } = subjects.get(subject) ?? {};
      if (admitted < calls) refusedUntil.set(network, answeredAt + Math.max(waitMs ?? 0, 0));
      const room = { callsLeft: left, seconds: toRetryAfterSeconds(oldestMs) };
      return [network, { calls: admitted, room }];
    }),
  );
}

/**
 * Removes networks without a call in the last minute.
 * @returns whether there are more
 */
export const removeOldPublicCalls = (): Promise<boolean> => removeExpired(publicCalls);
