import { eq, isNull, sql } from "drizzle-orm";
import { type Transaction, withOwnConnection } from "../../db/client";
import type { Database } from "../../db/pool";
import { ledgerArchives } from "../../db/schema/ledger";
import { Failure } from "../../domain/failure";
import { ArchiveError, loadArchives, writeArchive } from "./archive-files";
import { lockLedger } from "./write-ledger";

const DAY_MS = 86_400_000;
/** Events of the last days stay: readers, retries and corrections still meet them. */
const KEPT_DAYS_MIN = 90;
/** Events that leave the ledger in one transaction, while credits of their point system wait. */
const REMOVED_AT_ONCE = 1_000;

/** The lock of a connection that archives, and shared of one that reads archives. */
const LOCK = sql`hashtextextended('ledger archive', 0)`;

export interface ArchiveReport {
  /** The events that the file of this run holds; 0 when there were none, and no file was written. */
  readonly written: number;
  readonly fileName: string | null;
  /** The events that left the ledger, those of an earlier run that was cut off among them. */
  readonly removed: number;
}

/**
 * Moves the events before a date out of the ledger, into a compressed CSV file. Wallets, ranks, totals
 * and statistics do not change. The service may run meanwhile. A run that was cut off is completed by
 * the next one: the file is complete on disk before the first event leaves the ledger, and the file
 * says which ones leave.
 *
 * An event stays while ranks, statistics, webhooks that are on, streaks, changes of tiers or a board that is being filled
 * have not read it, and one that was voided on or after the date stays with its correction.
 * @param folder receives the file
 * @param backUp copies the files of `folder` to a backup, before the first event leaves
 * @throws {ArchiveError} when the date is less than 90 days ago, another run is under way, the file
 *   of a run that was cut off is not there, or the backup fails
 */
export async function archiveEvents(
  before: Date,
  folder: string,
  backUp = async () => {},
): Promise<ArchiveReport> {
  if (before.getTime() > Date.now() - KEPT_DAYS_MIN * DAY_MS) {
    throw new ArchiveError(
      `The last ${KEPT_DAYS_MIN} days stay in the ledger: name an earlier date`,
    );
  }
  return withOwnConnection(async (db) => {
    const [lock] = await db.execute<{ isFree: boolean }>(
      sql`select pg_try_advisory_lock(${LOCK}) as "isFree"`,
    );
    if (!lock?.isFree) throw new ArchiveError("Another process archives or verifies the ledger");
    let removed = await removeWritten(db, folder, backUp);
    const archive = await writeArchive(db.$client, before, folder);
    if (archive.events > 0) {
      await db.insert(ledgerArchives).values(archive);
      removed += await removeWritten(db, folder, backUp);
    }
    return {
      written: archive.events,
      fileName: archive.events > 0 ? archive.fileName : null,
      removed,
    };
  });
}

/**
 * Vacuums the events. Until then, readers of a ledger's oldest event pass over the index's entries of those that left.
 * PostgreSQL's own vacuum leaves the indexes alone where these are few among all.
 */
export async function vacuumEvents(): Promise<void> {
  await withOwnConnection((db) => db.execute(sql`vacuum (index_cleanup on) point_events`));
}

/** Events that an archive did not take yet. */
interface WaitingEvents {
  readonly events: number;
  /** The readers of the ledger that have not read them, such as `statistics`. */
  readonly readers: readonly string[];
}

/** Counts the events before a date that stay in the ledger until the service has read them. */
export async function countWaitingEvents(before: Date): Promise<WaitingEvents> {
  return withOwnConnection(async (db) => {
    const [found] = await db.execute<{ events: number; readers: string[] }>(sql`
      with waiting as materialized (
        select w.events, w.readers from list_point_system_ids() p(system)
        cross join lateral count_waiting_events(p.system, ${before.toISOString()}::timestamptz) w
      )
      select coalesce(sum(w.events), 0)::float8 as events,
        to_json(array(select distinct unnest(w.readers) from waiting w order by 1)) as readers
      from waiting w`);
    return found ?? { events: 0, readers: [] };
  });
}

/**
 * Reads the events that left the ledger into the table `archived_events`, which is the connection's
 * own, each of them once. Until the connection ends, no more events leave.
 * @returns the number of archives; without any there is no such table
 * @throws {ArchiveError} as `loadArchives`
 */
export async function loadArchivedEvents(db: Database, folder: string): Promise<number> {
  await db.execute(sql`select pg_advisory_lock_shared(${LOCK})`);
  const archives = await db.select().from(ledgerArchives).orderBy(ledgerArchives.writtenAt);
  if (archives.length === 0) return 0;
  await loadArchives(db.$client, archives, folder);
  // An event that stayed when its first archive was removed is in a later one too. The index has the order.
  await db.execute(sql`
    delete from archived_events a
    using (
      select e.ctid as place, row_number() over (partition by e.point_system_id, e.seq) as n from archived_events e
    ) copies
    where a.ctid = copies.place and copies.n > 1`);
  await db.execute(sql`
    delete from archived_events a
    using (select point_system_id as id, max(seq) as last_seq from archived_events group by 1) s
    cross join lateral list_event_seqs(s.id, s.last_seq) e
    where a.point_system_id = s.id and a.seq = e.seq`);
  return archives.length;
}

/** Removes the events of every archive that was written and whose events are still in the ledger. */
async function removeWritten(
  db: Database,
  folder: string,
  backUp: () => Promise<void>,
): Promise<number> {
  let removed = 0;
  const archives = await db
    .select()
    .from(ledgerArchives)
    .where(isNull(ledgerArchives.removedAt))
    .orderBy(ledgerArchives.writtenAt);
  if (archives.length > 0) {
    await backUp().catch((error: Error) => {
      throw new ArchiveError(`The archive cannot be copied to the backup: ${error.message}`);
    });
  }
  for (const archive of archives) {
    await loadArchives(db.$client, [archive], folder);
    const systems = await db.execute<{ id: string }>(sql`
      select p.id from point_systems p
      where p.deleted_at is null
        and exists (select 1 from archived_events a where a.point_system_id = p.id)
      order by p.id`);
    for (const { id } of systems) {
      try {
        removed += await removeFrom(db, id, archive.before);
      } catch (error) {
        // The point system was deleted meanwhile.
        if (!(error instanceof Failure && error.code === "not_found")) throw error;
      }
    }
    await db
      .update(ledgerArchives)
      .set({ removedAt: new Date() })
      .where(eq(ledgerArchives.fileName, archive.fileName));
  }
  return removed;
}

/** Removes the archived events of one point system, some in a transaction. */
async function removeFrom(db: Database, pointSystemId: string, before: Date): Promise<number> {
  let removed = 0;
  for (let after: number | null = 0; after !== null; ) {
    const batch: Removal = await removeBatch(db, pointSystemId, before, after);
    removed += batch.events;
    after = batch.reached;
  }
  await db.transaction(async (tx) => {
    await holdActivity(tx, pointSystemId);
    await tx.execute(sql`
      delete from activity_marks
      where point_system_id = ${pointSystemId} and events = 0 and isfinite(created_at)
        and created_at < ${before.toISOString()}`);
  });
  return removed;
}

/** Holds the cursor of the activity: nothing is counted into its pieces until the transaction ends. */
function holdActivity(tx: Transaction, pointSystemId: string) {
  return tx.execute(sql`
    select from statistics_cursors where point_system_id = ${pointSystemId} for update`);
}

interface Removal {
  readonly events: number;
  /** The last position that was looked at; null at the end. */
  readonly reached: number | null;
}

/**
 * Removes the next archived events of a point system, each with its correction, and books what they
 * add up to. An event that was voided since the file was written stays.
 */
async function removeBatch(
  db: Database,
  pointSystemId: string,
  before: Date,
  after: number,
): Promise<Removal> {
  return db.transaction(async (tx) => {
    await lockLedger(tx, pointSystemId);
    await holdActivity(tx, pointSystemId);
    const [batch] = await tx.execute<{ events: number; reached: number | null }>(sql`
      with batch as materialized (
        select a.seq, a.id from archived_events a
        where a.point_system_id = ${pointSystemId} and a.voids is null and a.seq > ${after}
        order by a.seq limit ${REMOVED_AT_ONCE}
      )
      select remove_archived_events(
        ${pointSystemId}::uuid, ${before.toISOString()}::timestamptz,
        array(select b.seq from batch b order by b.seq), array(select b.id from batch b order by b.seq),
        array(
          select a.seq from batch b
          join archived_events a on a.point_system_id = ${pointSystemId} and a.voids = b.id
        )
      ) as events, (select max(b.seq)::float8 from batch b) as reached`);
    return batch ?? { events: 0, reached: null };
  });
}
