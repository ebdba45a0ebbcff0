import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { access, link, open, readdir, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip, gunzipSync } from "node:zlib";
import { toArrayLiteral } from "../../db/array-literal";
import type { Connection } from "../../db/client";
import type { ledgerArchives } from "../../db/schema/ledger";
import { makeDir } from "../../process/make-dir.mjs";
import { syncToDisk } from "../../process/sync-to-disk";

/** The columns of a file that was made before boosts and linked wallets. */
const FORMER_COLUMNS = `point_system_id, id, seq, address, points, balance, event, created_at, api_key_id,
  opens_wallet, voids, voids_created_at, operator_id, note, import_id, occurred_at, metadata`;
/** The columns of an archive's file, in the order of `copy`. */
const COLUMNS = `${FORMER_COLUMNS}, base_points, boost_factor, named_address`;

const UNFINISHED_PATTERN = /^ledger-before-\w+-written-\w+\.csv\.gz\.part$/;
/** The longest time without a sign of life of a run: that of another database may write to the same folder. */
const QUIET_MS = 10 * 60_000;
/** The pause between the signs of life of a run, which may wait longer for its first row. */
const TOUCH_EVERY_MS = 60_000;

type Archive = typeof ledgerArchives.$inferSelect;

/** An archive that cannot be made or read. */
export class ArchiveError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ArchiveError";
  }
}

/**
 * Reads archives into the table `archived_events`, which is the connection's own. Events of a point system that was
 * purged since are left out, also where a later one has its id.
 * @throws {ArchiveError} for a file that is missing or is not the one that was written
 */
export async function loadArchives(
  connection: Connection,
  archives: readonly Pick<Archive, "fileName" | "digest" | "writtenAt">[],
  folder: string,
): Promise<void> {
  await connection.unsafe("drop table if exists pg_temp.archived_events");
  await connection.unsafe("create temporary table archived_events (like point_events)");
  for (const { fileName, digest, writtenAt } of archives) {
    const file = path.join(folder, fileName);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (!isThere) throw new ArchiveError(`The archive ${fileName} is not in ${folder}`);
    const read = createDigest();
    const columns = (await readHeader(file)).includes("named_address") ? COLUMNS : FORMER_COLUMNS;
    const rows = await connection
      .unsafe(`copy archived_events (${columns}) from stdin (format csv, header match)`)
      .writable();
    try {
      await pipeline(createReadStream(file), read.pass, createGunzip(), rows);
    } catch (error) {
      throw new ArchiveError(`The archive ${fileName} cannot be read: ${error}`);
    }
    if (!read.take().equals(digest)) throw new ArchiveError(`The archive ${fileName} was changed`);
    const systems = await connection<{ id: string }[]>`
      select id from point_systems where created_at <= ${writtenAt.toISOString()}`;
    await connection`
      delete from archived_events
      where point_system_id <> all(${toArrayLiteral(systems.map(({ id }) => id))}::uuid[])`;
  }
  await connection.unsafe(`
    create index on archived_events (point_system_id, seq);
    create index on archived_events (point_system_id, voids) where voids is not null;
    analyze archived_events`);
}

/** Reads the beginning of a file, in which its columns are named; empty when it cannot be read. */
async function readHeader(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(4_096) });
    const start = gunzipSync(buffer.subarray(0, bytesRead), {
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return start.toString().split("\n", 1)[0] ?? "";
  } catch {
    return "";
  } finally {
    await handle.close();
  }
}

function createDigest() {
  const hash = createHash("sha256");
  const pass = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { pass, take: () => hash.digest() };
}

const failToWrite = (folder: string, { message }: Error) =>
  new ArchiveError(`The archive cannot be written to ${folder}: ${message}`);

/**
 * Opens a folder for archives, and makes it if it is missing.
 * @returns the names of its files
 * @throws {ArchiveError} when it cannot be made or is no folder
 */
export async function openFolder(folder: string): Promise<readonly string[]> {
  try {
    makeDir(folder, 0o700);
    return await readdir(folder);
  } catch (error) {
    throw failToWrite(folder, error as Error);
  }
}

/** Removes what runs that were killed have left: files that no run has written to for a while. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await openFolder(folder)) {
    if (!UNFINISHED_PATTERN.test(name)) continue;
    const file = path.join(folder, name);
    // Another run may have completed its file since.
    const found = await stat(file).catch(() => null);
    if (found && Date.now() - found.mtimeMs > QUIET_MS) await rm(file, { force: true });
  }
}

/**
 * Writes the events that leave before a date, of one snapshot, to a file that is whole, on disk, or not there. On Citus,
 * what is written of one node is of one moment.
 */
export async function writeArchive(
  connection: Connection,
  before: Date,
  folder: string,
): Promise<Pick<Archive, "fileName" | "before" | "events" | "digest">> {
  await removeUnfinished(folder);
  const at = (date: Date) => date.toISOString().replace(/\W/g, "");
  const fileName = `ledger-before-${at(before)}-written-${at(new Date())}.csv.gz`;
  const file = path.join(folder, fileName);
  const unfinished = `${file}.part`;
  const written = createDigest();
  const touch = setInterval(() => {
    const now = new Date();
    // There may be no file yet.
    utimes(unfinished, now, now).catch(() => {});
  }, TOUCH_EVERY_MS);
  const snapshot = "isolation level repeatable read read only";
  let failure: ArchiveError | undefined;
  const write = connection.begin(snapshot, async (tx) => {
    const leaving = `
      select ${COLUMNS} from list_point_system_ids() p(system)
      cross join lateral list_leaving_events(p.system, '${before.toISOString()}') e`;
    const [found] = await tx.unsafe<{ events: number }[]>(
      `select count(*)::float8 as events from (${leaving}) e`,
    );
    if (!found || found.events === 0) return 0;
    const rows = await tx
      .unsafe(`copy (${leaving} order by point_system_id, seq) to stdout (format csv, header)`)
      .readable();
    const target = createWriteStream(unfinished, { flags: "wx", mode: 0o600 });
    // The connection, cut off within its copy, then fails with a message that says nothing of the reason.
    target.once("error", (error: NodeJS.ErrnoException) => {
      // It also ends with an error of the connection.
      if (error.syscall !== "open" && error.syscall !== "write") return;
      failure = failToWrite(folder, error);
    });
    await pipeline(rows, createGzip(), written.pass, target);
    return found.events;
  });
  try {
    const events = await write;
    if (events > 0) {
      await syncToDisk(unfinished);
      // Unlike a renaming, this replaces no file.
      await link(unfinished, file);
      await syncToDisk(folder);
    }
    return { fileName, before, events, digest: written.take() };
  } catch (error) {
    throw failure ?? error;
  } finally {
    clearInterval(touch);
    // A file that a full disk has cut off would keep it full.
    await rm(unfinished, { force: true }).catch(() => {});
  }
}
