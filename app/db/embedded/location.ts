import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

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
  /** the data dir, or its substitute when PostgreSQL's user cannot reach it */
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
  const firstMade = mkdirSync(folder, { recursive: true }) ?? folder;
  if (!user) return;
  for (let dir = folder; dir.length >= firstMade.length; dir = dirname(dir)) {
    chmodSync(dir, statSync(dir).mode | 0o011);
  }
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(resolveLinks(dirname(path)), basename(path));
  }
}

/** Decides where the cluster of a data dir is and which user runs it, and creates its folders. */
export function locateCluster(dataDir: string, log: (message: string) => void): ClusterLocation {
  let rootDir = resolveLinks(resolve(dataDir));
  const hash = createHash("sha256").update(rootDir).digest("hex").slice(0, 12);
  let user = chooseUser(join(rootDir, "pg"));
  if (user && !canTraverse(dirname(rootDir), user)) {
    const elsewhere = join(systemDir, hash);
    log(
      `PostgreSQL, which does not run as root, cannot reach ${rootDir}: its data lies in ${elsewhere}`,
    );
    rootDir = elsewhere;
    user = chooseUser(join(rootDir, "pg"));
  }
  makePassableDir(rootDir, user);

  // The socket is beside the data: the temporary folder can differ between a service and a shell.
  let socketDir = join(rootDir, "pg-run");
  if (Buffer.byteLength(join(socketDir, ".s.PGSQL.5432")) > socketPathBytesMax) {
    if (user) makePassableDir(systemDir, user);
    socketDir = join(user ? systemDir : "/tmp", `points-pg-${hash}`);
  }
  const holdersDir = join(rootDir, "pg-holders");
  const startLockDir = join(rootDir, "pg-turns");
  for (const dir of [holdersDir, startLockDir]) mkdirSync(dir, { recursive: true });
  return {
    rootDir,
    clusterDir: join(rootDir, "pg"),
    socketDir,
    holdersDir,
    startLockDir,
    logFile: join(rootDir, "pg.log"),
    user,
  };
}
