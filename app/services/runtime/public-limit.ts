import { createHmac, randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { LRUCache } from "lru-cache";
import { hotQuery, withDatabase } from "../../db/client";
import { publicCalls, sharedSecrets } from "../../db/schema/limits";
import { getClientNetwork } from "../../domain/client-network";
import { DATABASE_DEADLINE_MS } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { createBatcher } from "./batcher";
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
  callsMax: 60,
  seconds: 60,
};
/** The most networks whose refusal is remembered; others are refused by the database. */
const REFUSED_NETWORKS_MAX = 50_000;
const REMOVED_ROWS_MAX = 5_000;
const SECRET_BYTES = 32;

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

let subjectKey: Promise<Buffer> | undefined;

/**
 * Asks for the admission of a call. Null when it is admitted, otherwise the time for which its
 * network is refused.
 */
const askForAdmission = createBatcher<string, number | null>({
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
 * @throws {Failure} `too_many_requests`
 */
export async function admitPublicCall(ip: string, budget?: "hint"): Promise<void> {
  const network = (budget ? `${budget} ` : "") + getClientNetwork(ip);
  const waitMs = getKnownWait(network) ?? (await askForAdmission(network));
  if (waitMs === null) return;
  throw new Failure("too_many_requests", {
    retryAfterSeconds: toRetryAfterSeconds(waitMs),
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

/**
 * Admits the calls of a batch. A network that got fewer than it requested is remembered as refused.
 * @returns the number of admitted calls of each network
 */
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

/** Reads the random secret of a name. The first instance that asks creates it. */
async function getSharedSecret(name: string): Promise<Buffer> {
  return withDatabase(async (db) => {
    await db
      .insert(sharedSecrets)
      .values({ name, secret: randomBytes(SECRET_BYTES) })
      .onConflictDoNothing();
    const [row] = await db
      .select({ secret: sharedSecrets.secret })
      .from(sharedSecrets)
      .where(eq(sharedSecrets.name, name))
      .limit(1);
    if (!row) throw new Error(`The shared secret ${name} is gone`);
    return Buffer.from(row.secret);
  });
}

/**
 * Removes networks without a call in the last minute.
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
