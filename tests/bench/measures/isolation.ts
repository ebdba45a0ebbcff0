import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import {
  connect,
  createDataDir,
  type DatabaseLocation,
  formatDatabaseUrl,
  startCluster,
} from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { createWallets, getAddress, prepareOurs, WORLD, waitForStatistics } from "../world";
import { putLoad } from "../wrk";

const CONNECTIONS = 64;
const WALLETS = 10_000;
/** The point systems beside the measured one. */
const NEIGHBOURS = Array.from({ length: 10 }, (_, n) => ({
  id: `b0000000-0000-4000-8000-00000000001${n}`,
  key: `rw_b000000000000000000000000000001${n}`,
}));
const NEIGHBOURS_CALLERS = 32;
/** So long a slow neighbour's ledger is held at a time: its batches take long, and none fails. */
const SLOW_MS = 400;
const IMPORTED_WALLETS = 400_000;
/** More than are undone while it is measured. */
const UNDONE_WALLETS_MAX = 40_000;
const SEEDED_EVENTS = 500_000;
/** Those of the failing neighbour, which are counted at each read. */
const UNCOUNTED_EVENTS = 300_000;
/** By then the file of a seed is read and checked, and its events are written. */
const SEED_READS_MS = 4_000;
/** By then the servers know the neighbours that are slow. */
const LEARNING_MS = 2_000;

/** The callers that read the failing neighbour. */
const FAILING_READERS = 8;

type Neighbour = (typeof NEIGHBOURS)[number];
const IMPORTING = NEIGHBOURS[0] as Neighbour;
/** The fold of its ranks fails: they are counted at each read. */
const FAILING = NEIGHBOURS[1] as Neighbour;

/**
 * Measures credits and reads of a point system while the ledger of another one is locked and called, or those of ten are
 * held again and again, or while another one is seeded, or while the fold of another one fails and it is read, and credits
 * while another one has an import or undoes it, beside the same load without these neighbours.
 */
export function measureIsolation(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const database = await cluster.createDatabase("ours");
    await prepareOurs(database, createWallets(WALLETS), NEIGHBOURS);
    const env = { DATABASE_URL: formatDatabaseUrl(database) };
    const { url } = await startServer(defer, { command: [SERVERS.production], env });

    const credits: Contender = (seconds) =>
      putTriggerLoad({ url: `${url}/trigger`, connections: CONNECTIONS, seconds });
    const reads: Contender = (seconds) =>
      putLoad({
        script: "get.lua",
        url: `${url}/wallet?pointSystemId=${WORLD.pointSystemId}`,
        connections: CONNECTIONS,
        seconds,
        scriptArguments: [String(WALLETS), WORLD.token],
      });
    const beside =
      (neighbours: readonly Neighbour[], heldMs: number, measured: Contender): Contender =>
      async (seconds) => {
        const end = new AbortController();
        const holders = neighbours.map(({ id }) => holdLedger(database, id, heldMs, end.signal));
        const callers = Array.from({ length: NEIGHBOURS_CALLERS }, async (_, n) => {
          const neighbour = neighbours[n % neighbours.length] as Neighbour;
          while (!end.signal.aborted) await callNeighbour(url, neighbour);
        });
        try {
          // Each neighbour's first batch is no slow one yet.
          await sleep(LEARNING_MS);
          return await measured(seconds);
        } finally {
          end.abort();
          await Promise.all([...holders, ...callers]);
        }
      };
    const besideLocked = (measured: Contender) =>
      beside(NEIGHBOURS.slice(0, 1), Number.POSITIVE_INFINITY, measured);
    const besideSlow = (measured: Contender) => beside(NEIGHBOURS, SLOW_MS, measured);
    const importId = await prepareImport(database, IMPORTING.id);
    const besideImport =
      (status: "committing" | "undoing"): Contender =>
      async (seconds) => {
        if (status === "undoing") await importMore(database, importId);
        const before = await setImport(database, importId, status);
        const load = await credits(seconds);
        const after = await setImport(database, importId, "committed");
        if (after === before || after === 0) throw new Error(`The import was not ${status}`);
        return load;
      };
    const folder = createDataDir(defer);
    const startSeed = (file: string) => {
      const seed = spawn(process.execPath, ["app/commands/run.mjs", "seed", file], {
        env: { ...process.env, ...env },
        stdio: "ignore",
      });
      return { seed, exited: new Promise((resolve) => seed.once("exit", resolve)) };
    };
    const seedFile = writeSeed(folder, SEEDED_EVENTS);
    const besideSeed =
      (measured: Contender): Contender =>
      async (seconds) => {
        const { seed, exited } = startSeed(seedFile);
        await sleep(SEED_READS_MS);
        const load = await measured(seconds);
        if (seed.exitCode !== null) throw new Error("The seed ended before the measurement");
        seed.kill("SIGKILL");
        await exited;
        return load;
      };
    await breakFold(database, FAILING.id);
    const { exited } = startSeed(writeSeed(folder, UNCOUNTED_EVENTS, FAILING.id));
    if ((await exited) !== 0) throw new Error("The seed failed");
    const besideFailing =
      (measured: Contender): Contender =>
      async (seconds) => {
        let isOver = false;
        const callers = Array.from({ length: FAILING_READERS }, async () => {
          while (!isOver) await readNeighbour(url, FAILING);
        });
        await sleep(LEARNING_MS);
        const load = await measured(seconds);
        isOver = true;
        await Promise.all(callers);
        return load;
      };
    const { loads, compare } = await measureInRounds(
      {
        // Each load alone is next to those that are compared with it: the machine's speed changes within minutes.
        creditsBesideLocked: besideLocked(credits),
        credits,
        creditsBesideSlow: besideSlow(credits),
        readsBesideLocked: besideLocked(reads),
        reads,
        readsBesideSlow: besideSlow(reads),
        creditsBesideImport: besideImport("committing"),
        creditsAgain: credits,
        creditsBesideUndo: besideImport("undoing"),
        creditsBesideSeed: besideSeed(credits),
        creditsLast: credits,
        readsBesideSeed: besideSeed(reads),
        readsAgain: reads,
        readsBesideFailing: besideFailing(reads),
        creditsBesideFailing: besideFailing(credits),
        creditsAtLast: credits,
      },
      { rounds: 5, seconds: 5, warmUpSeconds: 2, settle: () => waitForStatistics(database) },
    );
    return [
      createRow("credits, 64 connections", loads.credits.perSecond, "1/s"),
      createRow(
        "credits beside a locked point system to alone",
        compare("creditsBesideLocked", "credits"),
        "ratio",
        0.8,
      ),
      createRow(
        "credits beside ten slow point systems to alone",
        compare("creditsBesideSlow", "credits"),
        "ratio",
        0.8,
      ),
      createRow(
        "credits beside an import to alone",
        compare("creditsBesideImport", "creditsAgain"),
        "ratio",
        0.8,
      ),
      createRow(
        "credits beside an import that is undone to alone",
        compare("creditsBesideUndo", "creditsAgain"),
        "ratio",
        0.8,
      ),
      createRow(
        "credits beside a seed of 500,000 events to alone",
        compare("creditsBesideSeed", "creditsLast"),
        "ratio",
        0.8,
      ),
      createRow(
        "reads beside a locked point system to alone",
        compare("readsBesideLocked", "reads"),
        "ratio",
        0.8,
      ),
      createRow(
        "reads beside ten slow point systems to alone",
        compare("readsBesideSlow", "reads"),
        "ratio",
        0.8,
      ),
      createRow(
        "reads beside a seed of 500,000 events to alone",
        compare("readsBesideSeed", "readsAgain"),
        "ratio",
        0.8,
      ),
      createRow(
        "credits beside a point system that is read while its fold fails to alone",
        compare("creditsBesideFailing", "creditsAtLast"),
        "ratio",
        0.8,
      ),
      createRow(
        "reads beside a point system that is read while its fold fails to alone",
        compare("readsBesideFailing", "readsAgain"),
        "ratio",
        0.8,
      ),
    ];
  });
}

/**
 * Writes a fixture file with a point system that has many events.
 * @returns its path
 */
function writeSeed(folder: string, count: number, id: string | null = null): string {
  const operator = { email: WORLD.operator, password: "a long passphrase", name: "Bench" };
  const events = Array.from({ length: count }, (_, n) => ({
    address: getAddress(n % (SEEDED_EVENTS / 2)),
    points: 5,
    event: null,
  }));
  const pointSystem = { operator: operator.email, id, name: "Seeded", triggers: [], events };
  const file = path.join(folder, `seed-${id ?? "new"}.json`);
  writeFileSync(file, JSON.stringify({ operators: [operator], pointSystems: [pointSystem] }));
  return file;
}

/** Has the fold of a point system's ranks fail from now on. */
async function breakFold(database: DatabaseLocation, pointSystemId: string): Promise<void> {
  const sql = connect(database);
  await sql.unsafe(`
    create function fail_fold() returns trigger language plpgsql as $$ begin raise exception 'It fails'; end $$;
    create trigger fail_fold before insert or update on rank_counts for each row
      when (new.point_system_id = '${pointSystemId}') execute function fail_fold()`);
  await sql.end();
}

/** Holds a ledger's lock for some milliseconds again and again, until the signal. */
async function holdLedger(
  database: DatabaseLocation,
  pointSystemId: string,
  heldMs: number,
  end: AbortSignal,
): Promise<void> {
  const sql = connect(database);
  while (!end.aborted) {
    await sql.begin(async (tx) => {
      await tx`select lock_ledger(${pointSystemId}::uuid)`;
      const untilMs = performance.now() + heldMs;
      // PostgreSQL waits, not this process: it shares the processors with what is measured.
      while (!end.aborted && performance.now() < untilMs) await tx`select pg_sleep(0.2)`;
    });
  }
  await sql.end({ timeout: 1 });
}

/** Writes an import that credits nothing yet. */
async function prepareImport(database: DatabaseLocation, pointSystemId: string): Promise<string> {
  const sql = connect(database);
  const [row] = await sql<{ id: string }[]>`
    insert into imports (
      point_system_id, operator_id, file_name, csv, has_header, delimiter, address_column, points_column, status,
      wallets, points
    )
    select ${pointSystemId}::uuid, id, 'wallets.csv', '', false, 'comma', 0, 1, 'committed',
      ${IMPORTED_WALLETS}, ${IMPORTED_WALLETS}
    from operators limit 1 returning id`;
  const id = row?.id as string;
  await sql`
    insert into import_rows (point_system_id, import_id, position, address, points)
    select ${pointSystemId}::uuid, ${id}::uuid, n, substring(sha256(n::text::bytea) for 20), 1
    from generate_series(0, ${IMPORTED_WALLETS - 1}) n`;
  await sql.end();
  return id;
}

/**
 * Lets the server's worker go on with an import, or stop after its next part.
 * @returns the wallets that it has credited
 */
async function setImport(database: DatabaseLocation, id: string, status: string): Promise<number> {
  const sql = connect(database);
  const [row] = await sql<{ done: number }[]>`
    update imports set status = ${status} where id = ${id} returning wallets_done::float8 as done`;
  if (status !== "committed") {
    await sql`
      insert into jobs (queue, key, data, state)
      select 'run-import', point_system_id || '/' || id,
        json_build_object('pointSystemId', point_system_id, 'importId', id), 'waiting'
      from imports where id = ${id}
      on conflict do nothing`;
  }
  await sql.end({ timeout: 1 });
  return row?.done ?? 0;
}

/** Lets an import go on until there is enough to be undone. */
async function importMore(database: DatabaseLocation, id: string): Promise<void> {
  const enough = (await setImport(database, id, "committing")) + UNDONE_WALLETS_MAX;
  const sql = connect(database);
  let done = 0;
  while (done < enough) {
    await sleep(100);
    const [row] = await sql<{ done: number }[]>`
      select wallets_done::float8 as done from imports where id = ${id}`;
    done = row?.done ?? enough;
  }
  await sql.end({ timeout: 1 });
  await setImport(database, id, "committed");
}

/** Reads a neighbour's wallet, whatever the answer is. */
async function readNeighbour(url: string, { id, key }: Neighbour): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  const query = `pointSystemId=${id}&address=${getAddress(0)}`;
  const response = await fetch(`${url}/wallet?${query}`, { headers });
  await response.arrayBuffer();
}

/** Fires a neighbour's trigger and waits for the answer, whatever it is. */
async function callNeighbour(url: string, { id, key }: Neighbour): Promise<void> {
  const response = await fetch(`${url}/trigger`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      triggerKey: WORLD.triggerKey,
      walletAddress: `0x${"ab".repeat(20)}`,
      pointSystemId: id,
    }),
  });
  await response.arrayBuffer();
}
