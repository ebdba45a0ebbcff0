import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeDir } from "../process/make-dir.mjs";

// DATA_DIR/database names the database that this installation uses. A forgotten or mistyped DATABASE_URL
// must not begin an empty one beside it.

export interface DatabaseChoice {
  /** DATABASE: the kind of database that is wanted; undefined when it follows from `databaseUrl`. */
  readonly database?: "embedded" | "url" | undefined;
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
}

const EMBEDDED = "embedded";

/** Names a database without its role and password. */
function describeDatabase(url: string | undefined): string {
  if (url === undefined) return EMBEDDED;
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get("host") ?? host}${pathname}`;
}

const getFile = (dataDir: string) => path.join(dataDir, "database");

function readRecord(dataDir: string): string | null {
  const file = getFile(dataDir);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}

/** @throws {Error} when the embedded database is not what this installation used, and nobody has asked for it */
export function refuseForgottenUrl({ database, databaseUrl, dataDir }: DatabaseChoice): void {
  if (database === "url" && databaseUrl === undefined) {
    throw new Error("DATABASE=url needs DATABASE_URL, which is not set.");
  }
  if (database === EMBEDDED && databaseUrl !== undefined) {
    throw new Error("DATABASE=embedded and DATABASE_URL name two databases. Remove one of them.");
  }
  const record = readRecord(dataDir);
  if (databaseUrl !== undefined || database === EMBEDDED) return;
  if (record === null || record === EMBEDDED) return;
  throw new Error(
    `DATABASE_URL is not set, and this installation uses the database ${record} (${getFile(dataDir)}). Set DATABASE_URL. For the embedded database instead, set DATABASE=embedded.`,
  );
}

/**
 * Returns the sentence that refuses to serve an empty database, where this installation served another URL.
 * @returns null when an empty one is right: nothing was served yet, or only the embedded database
 */
export function refuseToBeginAnew({
  database,
  databaseUrl,
  dataDir,
}: DatabaseChoice): string | null {
  const record = readRecord(dataDir);
  const named = describeDatabase(databaseUrl);
  if (record === null || record === EMBEDDED || record === named || database === EMBEDDED)
    return null;
  return `The database ${named} is empty, and this installation uses ${record}. Check DATABASE_URL, or restore the data there first. To begin with an empty database, run npm run migrate.`;
}

/** Records the database that a process serves. A data dir that cannot be written has no record. */
export function recordDatabase({ databaseUrl, dataDir }: DatabaseChoice): void {
  const named = describeDatabase(databaseUrl);
  if (readRecord(dataDir) === named) return;
  try {
    makeDir(dataDir);
    writeFileSync(getFile(dataDir), `${named}\n`);
  } catch {
    // A read-only root file system, beside an external database. DATABASE=url says the same there.
  }
}
