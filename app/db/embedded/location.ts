import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { makeDir } from "../../process/make-dir.mjs";

/**
 * The system user that runs PostgreSQL when this process is root: PostgreSQL refuses to run as
 * root.
 */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The locations of a cluster's files. They are the same for every process with the same data dir.
 */
export interface ClusterLocation {
  readonly dataDir: string;
  /** the data dir, or its substitute if PostgreSQL's user could not reach it when it was created */
  readonly rootDir: string;
  readonly clusterDir: string;
  readonly socketDir: string;
  readonly holdersDir: string;
  readonly startLockDir: string;
  readonly logFile: string;
  /** null when PostgreSQL runs as this process's user */
  readonly user: SystemUser | null;
}

const systemDir = "/var/lib/points-and-rewards";
/** The file in the data dir that names the cluster's folder. */
export const recordName = "pg-location";
/** The file beside the data that names the socket's folder when that is not beside the data. */
const shortDirName = "pg-socket";
/** macOS allows 103 bytes, Linux 107 */
const socketPathBytesMax = 103;

function chooseUser(clusterDir: string): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const fields = accounts.find((line) => line.startsWith(`${name}:`))?.split(":");
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error(
    "PostgreSQL does not run as root and there is no user postgres or nobody: run as another user or set DATABASE_URL.",
  );
}

/**
 * Checks whether a user may pass through a folder and all its parents. Missing folders count as
 * passable.
 */
export function canTraverse(folder: string, user: SystemUser): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat) {
    const executeBit = stat.uid === user.uid ? 0o100 : stat.gid === user.gid ? 0o010 : 0o001;
    if (!(stat.mode & executeBit)) return false;
  }
  return folder === dirname(folder) || canTraverse(dirname(folder), user);
}

/** Creates a folder that PostgreSQL's user can pass through, whatever the umask is. */
function makePassableDir(folder: string, user: SystemUser | null): void {
  const firstMade = makeDir(folder) ?? folder;
  if (!user) return;
  for (let dir = folder; dir.length >= firstMade.length; dir = dirname(dir)) {
    chmodSync(dir, statSync(dir).mode | 0o011);
  }
}

/** Resolves the links in a path, of which an end may be missing. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(resolveLinks(dirname(path)), basename(path));
  }
}

const getHash = (dataDir: string) =>
  createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
/** Returns the folder that takes a data dir's place when PostgreSQL's user cannot reach it. */
const getSubstitute = (dataDir: string) => join(systemDir, getHash(dataDir));

/** Returns the file that a cluster has until its restore is complete. */
export const getRestoreMark = ({ clusterDir }: ClusterLocation) => join(clusterDir, "restoring");

const hasCluster = (rootDir: string) => existsSync(join(rootDir, "pg", "PG_VERSION"));

/** Writes the cluster's place into the data dir: a later change of permissions must not change it. */
export function recordLocation({ dataDir, clusterDir }: ClusterLocation): void {
  const file = join(dataDir, recordName);
  // A place in the data dir is relative, so that a copy of the data dir has its own.
  const isInside = dirname(clusterDir) === dataDir;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${isInside ? relative(dataDir, clusterDir) : clusterDir}\n`);
  renameSync(draft, file);
}

/**
 * Finds the place of a data dir's cluster.
 * @param elsewhere the substitute of the data dir
 * @returns null when there is no cluster yet
 * @throws {Error} when the cluster is not where it should be, or there are two
 */
function findRootDir(dataDir: string, elsewhere: string): string | null {
  const existing = [dataDir, elsewhere].filter(hasCluster);
  const file = join(dataDir, recordName);
  if (existsSync(file)) {
    const recorded = dirname(resolve(dataDir, readFileSync(file, "utf8").trim()));
    if (hasCluster(recorded)) return recorded;
    const [other] = existing;
    throw new Error(
      `${file} says that the database is in ${join(recorded, "pg")}, where there is none. Restore it there, or remove ${file} to ${other ? `use the one in ${join(other, "pg")}` : "begin with an empty database"}.`,
    );
  }
  if (existing.length === 2) {
    throw new Error(
      `There are two databases for ${dataDir}: ${existing.map((rootDir) => join(rootDir, "pg")).join(" and ")}. Write the path of the one to use into ${file}.`,
    );
  }
  return existing[0] ?? null;
}

/** Checks whether a data dir has a cluster, or names one, without creating anything. */
export function isClusterCreated(givenDataDir: string): boolean {
  const dataDir = resolveLinks(resolve(givenDataDir));
  return (
    existsSync(join(dataDir, recordName)) || [dataDir, getSubstitute(dataDir)].some(hasCluster)
  );
}

/**
 * Finds the folder in /tmp for the socket of a cluster whose own path is too long for one. Everybody
 * may write to /tmp, so its name is random. The file beside the data that names it is written whole, once.
 */
function findShortDir(rootDir: string): string {
  const file = join(rootDir, shortDirName);
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}`;
    const dir = `/tmp/points-pg-${randomBytes(9).toString("hex")}`;
    writeFileSync(draft, `${dir}\n`, { mode: 0o600 });
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  return readFileSync(file, "utf8").trim();
}

/** Finds the first folder on a path, from the root, that a user may not pass through. */
function findBarrier(folder: string, user: SystemUser): string {
  const parent = dirname(folder);
  return canTraverse(parent, user) ? folder : findBarrier(parent, user);
}

/**
 * Decides where the cluster of a data dir is and which user runs it, and creates its folders. An
 * existing cluster stays where it is.
 * @throws {Error} when the cluster is missing or cannot be reached, with the remedy
 */
export function locateCluster(
  givenDataDir: string,
  log: (message: string) => void,
): ClusterLocation {
  const dataDir = resolveLinks(resolve(givenDataDir));
  const elsewhere = getSubstitute(dataDir);
  const existing = findRootDir(dataDir, elsewhere);
  let rootDir = existing ?? dataDir;
  let user = chooseUser(join(rootDir, "pg"));
  if (user && !canTraverse(dirname(rootDir), user)) {
    if (existing) {
      throw new Error(
        `PostgreSQL, which does not run as root, cannot reach its data in ${join(rootDir, "pg")}. Run chmod o+x ${findBarrier(dirname(rootDir), user)}`,
      );
    }
    rootDir = elsewhere;
    user = chooseUser(join(rootDir, "pg"));
  }
  if (rootDir !== dataDir) {
    log(
      `PostgreSQL, which does not run as root, could not reach ${dataDir}: its data lies in ${rootDir}`,
    );
  }
  makePassableDir(rootDir, user);
  makeDir(dataDir);

  // The socket is beside the data: the temporary folder can differ between a service and a shell.
  let socketDir = join(rootDir, "pg-run");
  if (Buffer.byteLength(join(socketDir, ".s.PGSQL.5432")) > socketPathBytesMax) {
    if (user) makePassableDir(systemDir, user);
    socketDir = user ? join(systemDir, `points-pg-${getHash(dataDir)}`) : findShortDir(rootDir);
  }
  const holdersDir = join(rootDir, "pg-holders");
  const startLockDir = join(rootDir, "pg-turns");
  for (const dir of [holdersDir, startLockDir]) mkdirSync(dir, { recursive: true });
  const location = {
    dataDir,
    rootDir,
    clusterDir: join(rootDir, "pg"),
    socketDir,
    holdersDir,
    startLockDir,
    logFile: join(rootDir, "pg.log"),
    user,
  };
  if (existing && !existsSync(join(dataDir, recordName))) recordLocation(location);
  return location;
}

/**
 * Creates the folder of the socket, which only PostgreSQL's user can enter.
 * @throws {Error} when it is a link or another user's, who could answer in PostgreSQL's place
 */
export function prepareSocketDir({ socketDir, user }: ClusterLocation): void {
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  const found = lstatSync(socketDir);
  const owners = [process.getuid?.(), user?.uid];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new Error(
      `The folder for PostgreSQL's socket, ${socketDir}, belongs to another user. Remove it.`,
    );
  }
  chmodSync(socketDir, 0o700);
  if (user) chownSync(socketDir, user.uid, user.gid);
}
