import { sql } from "drizzle-orm";
import { databaseState, withDatabase } from "../../db/client";
import type { QueueName } from "./job-queue";
import { createSingleFlightCache } from "./single-flight-cache";

/** The ledgers of all point systems, at one moment. */
export interface LedgerLook {
  /** The last positions that were handed out; every event, every move and every spend takes a new one. */
  readonly newestSeq: string;
  /** Whether no transaction was writing, so that no position is still to be committed. */
  readonly isQuiet: boolean;
}

/** A look that knows the one before it. */
interface LookAtGrowth extends LedgerLook {
  /**
   * The positions that were handed out a second since the look before; null for the first one. Events, moves and webhooks'
   * deliveries take them. On Citus, a position is a time, so that ledgers never look calm.
   */
  readonly growthPerSecond: number | null;
}

/** The work that waits in the database. */
interface DueWork<Look = LedgerLook> {
  readonly ledger: Look;
  /** The queues that have a job to take up now. */
  readonly queues: readonly QueueName[];
  /** Whether a webhook is switched on. */
  readonly hasWebhooks: boolean;
}

/** The largest age of an answer. All jobs of an idle process share one statement in this time. */
const KEEP_MS = 1_000;

const keep = createSingleFlightCache<DueWork<LookAtGrowth>>({ keepMs: KEEP_MS, entriesMax: 1 });
const getLast = databaseState<{ position?: number; atMs: number }>(() => ({ atMs: 0 }));

/** Finds the work that waits. The answer is at most a second old. */
export function findDueWork(): Promise<DueWork<LookAtGrowth>> {
  return keep("", async () => {
    const work = await readDueWork();
    const last = getLast();
    const now = { position: Number.parseInt(work.ledger.newestSeq, 10), atMs: performance.now() };
    const growthPerSecond =
      last.position === undefined
        ? null
        : ((now.position - last.position) / (now.atMs - last.atMs)) * 1_000;
    Object.assign(last, now);
    return { ...work, ledger: { ...work.ledger, growthPerSecond } };
  });
}

/**
 * Reads which work waits. The cost depends neither on the number of events nor on the number of
 * point systems.
 */
export async function readDueWork(): Promise<DueWork> {
  const [row] = await withDatabase((db) =>
    db.execute<LedgerLook & Omit<DueWork, "ledger"> & Record<string, unknown>>(sql`
      select concat(s.last_value, ' ', spent.last_value) as "newestSeq",
        -- The snapshot's oldest transaction is the next one to begin: none is under way.
        age(pg_snapshot_xmin(pg_current_snapshot())::xid) = 0 as "isQuiet",
        (
          select coalesce(json_agg(distinct queue), '[]') from jobs
          where state in ('waiting', 'retry') and run_after <= now()
        ) as queues,
        exists (select 1 from webhook_endpoints where off_at is null) as "hasWebhooks"
      from point_events_seq_seq s cross join spends_seq_seq spent`),
  );
  if (!row) throw new Error("The sequence of point_events has no row");
  const { newestSeq, isQuiet, ...waiting } = row;
  return { ledger: { newestSeq, isQuiet }, ...waiting };
}
