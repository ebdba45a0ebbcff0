import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import { toArrayLiteral, toPlainArray } from "../../db/array-literal";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { importRows } from "../../db/schema/imports";
import type { Address } from "../../domain/address";
import { createEventId } from "../../domain/ledger/event-id";
import { noteWrittenLedger } from "../access/own-writes";
import { appendToLedger, type NewEvent } from "../ledger/append";
import { findBlacklisted } from "../ledger/blacklist-look-up";
import { voidImportedEvents } from "../ledger/voids";
import { lockLedgerInTime, readDatabaseClock } from "../ledger/write-ledger";
import { enqueueJob } from "../runtime/job-queue";
import { sayEvent } from "../webhooks/outbox/say-event";

/** Wallets in one transaction. Credits by the API wait for its lock, so it must be short. */
const BATCH_WALLETS = 1_000;
/** Drafts that are removed in one statement, each with its whole file. */
const DRAFTS_A_RUN = 10;
const NOTE_CHARACTERS_MAX = 500;

/** The import that a transaction has claimed. */
interface Claim {
  readonly pointSystemId: string;
  readonly id: string;
  readonly operatorId: string;
  readonly fileName: string;
  readonly note: string | null;
  readonly status: "committing" | "undoing";
  readonly wallets: number;
  readonly walletsDone: number;
}

interface ImportRow {
  readonly position: number;
  readonly address: Address;
  readonly points: number;
  readonly eventId: string | null;
}

/** The import that a queued job is about. */
export interface ImportKey {
  readonly pointSystemId: string;
  readonly importId: string;
}

const GIVEN_UP =
  "The work on this import failed repeatedly. It stands after the last whole batch. Try again, or look into the server's log.";

/** Queues the work on an import, in the transaction of the step that orders it. */
export async function queueImport(tx: Transaction, key: ImportKey): Promise<void> {
  await enqueueJob(tx, "run-import", key, `${key.pointSystemId}/${key.importId}`);
}

/** Marks the imports whose jobs were given up, so that operators see it and can try again. */
export async function failAbandonedImports(): Promise<boolean> {
  const isUnfinished = sql`i.status in ('committing', 'undoing') and i.failure is null`;
  await withDatabase(async (db) => {
    // An import without a job stays so until it is marked.
    const abandoned = await db.execute<{ id: string }>(sql`
      select i.id from imports i where ${isUnfinished} and not exists (
        select 1 from jobs j
        where j.queue = 'run-import' and j.key = i.point_system_id || '/' || i.id
          and j.state in ('waiting', 'retry', 'active')
      )`);
    if (abandoned.length === 0) return;
    const ids = toPlainArray(abandoned.map(({ id }) => id));
    await db.execute(sql`
      update imports i set failure = ${GIVEN_UP} where i.id = any(${ids}::uuid[]) and ${isUnfinished}`);
  });
  return false;
}

/**
 * Credits or undoes the next batch of an import. The events, the rows' marks and the import's count
 * are written in one transaction: if a process ends at any point, the next one continues without a
 * gap or a repetition. Several processes may do so at once; each skips imports that another has
 * claimed.
 * @param key the import; the oldest unfinished one when left out
 * @returns whether there is more to do
 */
export async function runImportBatch(key?: ImportKey): Promise<boolean> {
  let claim: Claim | undefined;
  try {
    return await inTransaction(async (tx) => {
      claim = await takeUpImport(tx, key);
      if (!claim) return false;
      if (claim.status === "committing") await creditImportBatch(tx, claim);
      else await undoImportBatch(tx, claim);
      return true;
    });
  } finally {
    if (claim) noteWrittenLedger(claim.pointSystemId);
  }
}

/**
 * Claims an unfinished import: the given one, or the oldest that is not locked. It locks the point
 * system's row as well, so that the point system is not deleted during the batch.
 */
async function takeUpImport(tx: Transaction, key?: ImportKey): Promise<Claim | undefined> {
  const isIt = key && sql`and i.point_system_id = ${key.pointSystemId} and i.id = ${key.importId}`;
  const wait = sql.raw(key ? "" : "skip locked");
  const [claim] = await tx.execute<{ [Key in keyof Claim]: Claim[Key] }>(sql`
    select i.point_system_id as "pointSystemId", i.id, i.operator_id as "operatorId",
      i.file_name as "fileName", i.note, i.status, i.wallets::float8 as wallets,
      i.wallets_done::float8 as "walletsDone"
    from imports i
    join point_systems p on p.id = i.point_system_id and p.deleted_at is null
    where i.status in ('committing', 'undoing') ${isIt}
    order by i.created_at
    limit 1
    for update of i ${wait}
    for key share of p ${wait}`);
  return claim;
}

async function creditImportBatch(tx: Transaction, claim: Claim): Promise<void> {
  const { pointSystemId, id, walletsDone } = claim;
  // The rows are read before the ledger is locked: no other process changes the rows of a claimed
  // import.
  const rows = await readRows(tx, claim, walletsDone);
  await lockLedgerInTime(tx, pointSystemId);
  const blacklisted = await findBlacklisted(
    tx,
    pointSystemId,
    rows.map(({ address }) => address),
  );
  const date = await readDatabaseClock(tx);
  const note = (claim.note ?? `Import ${claim.fileName}`).slice(0, NOTE_CHARACTERS_MAX);
  const events = rows
    .filter(({ address }) => !blacklisted.has(address))
    .map(({ position, address, points }) => ({
      id: createEventId(),
      address,
      points,
      event: null,
      date,
      operatorId: claim.operatorId,
      note,
      importId: id,
      position,
    }));
  const credited = await appendWhatFits(tx, pointSystemId, events);
  await tx.execute(sql`
    update import_rows r set event_id = c.event_id
    from unnest(
      ${toArrayLiteral(credited.map(({ position }) => String(position)))}::int[],
      ${toArrayLiteral(credited.map((event) => event.id))}::uuid[]
    ) as c(position, event_id)
    where r.point_system_id = ${pointSystemId} and r.import_id = ${id}
      -- Whatever the plan, no more than the batch's rows are read.
      and r.position between ${rows[0]?.position ?? 0}::int and ${rows.at(-1)?.position ?? 0}::int
      and r.position = c.position`);
  const pointsOf = (some: readonly { points: number }[]) =>
    some.reduce((sum, { points }) => sum + points, 0);
  const isLast = walletsDone + rows.length >= claim.wallets;
  const [imported] = await tx.execute<{ credited: number; skipped: number; points: number }>(sql`
    update imports set wallets_done = wallets_done + ${rows.length}::int,
      wallets_skipped = wallets_skipped + ${rows.length - credited.length}::int,
      points = points - ${pointsOf(rows) - pointsOf(credited)}::bigint,
      status = ${isLast ? "committed" : "committing"},
      committed_at = ${isLast ? sql`now()` : sql`committed_at`}
    where point_system_id = ${pointSystemId} and id = ${id}
    returning (wallets_done - wallets_skipped)::float8 as credited,
      wallets_skipped::float8 as skipped, points::float8 as points`);
  if (!isLast || !imported) return;
  await sayEvent(tx, pointSystemId, "import.committed", {
    importId: id,
    fileName: claim.fileName,
    walletsCredited: imported.credited,
    walletsSkipped: imported.skipped,
    points: imported.points,
  });
}

/** Credits all wallets except those whose total would exceed the maximum. */
async function appendWhatFits<Event extends NewEvent>(
  tx: Transaction,
  pointSystemId: string,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const append = (fitting: readonly Event[]) => {
    const [first] = fitting;
    if (!first) return [];
    const addition = { events: fitting, registered: [], registeredAt: first.date };
    return appendToLedger(tx, pointSystemId, addition);
  };
  const excessive = new Set(await append(events));
  if (excessive.size === 0) return events;
  const fitting = events.filter((event) => !excessive.has(event));
  await append(fitting);
  return fitting;
}

/**
 * Undoes the next batch of an import, from its end, so that `wallets_done` tells where to continue.
 * Events that an operator voided have their correction already and stay as they are.
 */
async function undoImportBatch(tx: Transaction, claim: Claim): Promise<void> {
  const { pointSystemId, id, operatorId, walletsDone } = claim;
  const start = Math.max(0, walletsDone - BATCH_WALLETS);
  const rows = await readRows(tx, claim, start, walletsDone);
  const eventIds = rows.flatMap(({ eventId }) => eventId ?? []);
  await lockLedgerInTime(tx, pointSystemId);
  const note = `Undo of import ${claim.fileName}`.slice(0, NOTE_CHARACTERS_MAX);
  await voidImportedEvents(tx, pointSystemId, eventIds, { operatorId, note, importId: id });
  await tx.execute(sql`
    update imports set wallets_done = ${start}::bigint,
      status = ${start === 0 ? "undone" : "undoing"},
      undone_at = ${start === 0 ? sql`now()` : sql`undone_at`}
    where point_system_id = ${pointSystemId} and id = ${id}`);
  if (start > 0) return;
  const said = { importId: id, fileName: claim.fileName };
  await sayEvent(tx, pointSystemId, "import.undone", said);
}

/** Reads a batch of an import's rows, from `start` to before `end`. */
async function readRows(
  tx: Transaction,
  { pointSystemId, id }: Claim,
  start: number,
  end = start + BATCH_WALLETS,
): Promise<readonly ImportRow[]> {
  return tx
    .select({
      position: importRows.position,
      address: importRows.address,
      points: importRows.points,
      eventId: importRows.eventId,
    })
    .from(importRows)
    .where(
      and(
        eq(importRows.pointSystemId, pointSystemId),
        eq(importRows.importId, id),
        gte(importRows.position, start),
        lt(importRows.position, end),
      ),
    )
    .orderBy(asc(importRows.position));
}

/**
 * Removes drafts that were not committed within a week, some at a time.
 * @returns whether there may be more
 */
export async function removeOldDrafts(): Promise<boolean> {
  return inTransaction(async (tx) => {
    const old = await tx.execute<{ id: string }>(sql`
        select id from imports
        where status = 'draft' and created_at < now() - interval '7 days'
        limit ${DRAFTS_A_RUN}
        for update skip locked`);
    const ids = toArrayLiteral(old.map(({ id }) => id));
    // Ids are random: no two point systems have the same.
    if (old.length > 0) await tx.execute(sql`delete from imports where id = any(${ids}::uuid[])`);
    return old.length === DRAFTS_A_RUN;
  });
}
