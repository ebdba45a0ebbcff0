import { readFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import type { Sql } from "postgres";
import { closeDatabase, openDatabase } from "../../../app/db/client";
import {
  buildMerkleTree,
  cutIntoBuckets,
  hashMerkleTree,
  type MerkleLeaf,
} from "../../../app/domain/trees/merkle";
import { measureFixedWorkMs } from "../../fixed-work.mjs";
import { createCampaign, orderAllocation } from "../../support/campaigns";
import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { connect, type DatabaseLocation, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRankedDatabase } from "../ranked-world";
import { createCeilingRow, createRow, type Row } from "../report";
import { getAddress, WORLD } from "../world";

const TREE_WALLETS = 100_000;
const WALLETS = Number(process.env.BENCH_CAMPAIGN_WALLETS ?? 1_000_000);
const TOTAL_WEI = 10n ** 24n + 7n;

/** The most that an airdrop may take, in times of the work that no way of making it avoids. */
const TIMES_OF_LEAST_WORK = 4;
const RSS_MAX_MB = 1_000;
/** The most that one read of a hundred may take meanwhile, in parts of the fixed work. */
const P99_OF_FIXED_WORK = 0.135;
/**
 * The interval of GET /wallet calls from one caller that does not wait for answers, as on a quiet
 * day.
 */
const READ_EVERY_MS = 10;
const GIVES_UP_AFTER_MS = 600_000;

/**
 * Measures the building of trees beside OpenZeppelin's library, and an airdrop for a million
 * wallets from its order to its roots.
 */
export function measureCampaigns(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const rows = measureTrees();
    const cluster = await startCluster(defer);
    console.error(`  filling ${WALLETS.toLocaleString("en")} wallets`);
    const location = await createRankedDatabase(cluster, WALLETS);
    const env = { DATABASE_URL: formatDatabaseUrl(location), LOG_LEVEL: "error" };
    const { url, pid } = await startServer(defer, { command: [SERVERS.production], env });
    const sql = connect(location);
    defer(() => sql.end({ timeout: 1 }));
    const quiet = await readDuring(url, () => sleep(5_000));
    const busy = await readDuring(url, () => buildCampaign(sql, location));
    const rssMb = readPeakRss(pid);
    const least = await measureLeastWork(sql);
    return [...rows, ...toRows(busy.result, least, rssMb), ...compareReads(quiet, busy)];
  });
}

function toRows(seconds: Seconds, least: LeastWork, rssMb: number): Row[] {
  const name = `an airdrop for ${WALLETS.toLocaleString("en")}`;
  return [
    createRow(`${name}: snapshot, amounts, rows stored`, seconds.snapshot, "s"),
    createRow(`${name}: trees`, seconds.trees, "s"),
    createRow(`${name}: check`, seconds.check, "s"),
    createRow(`${name}: from order to roots`, seconds.all, "s"),
    createRow("insert … select of the same rows", least.insertSeconds, "s"),
    createRow("hashing of the same leaves to trees", least.hashSeconds, "s"),
    createCeilingRow(
      `${name}: to both together`,
      seconds.all / (least.insertSeconds + least.hashSeconds),
      TIMES_OF_LEAST_WORK,
      "ratio",
    ),
    createRow(`${name}: the process's memory at its peak`, rssMb, "MB"),
    createRow(`${name}: ${RSS_MAX_MB} MB to that`, RSS_MAX_MB / rssMb, "ratio", 1),
  ];
}

function compareReads(quiet: ReadTimes, busy: ReadTimes): Row[] {
  return [
    createRow("GET /wallet before it, p99", quiet.p99Ms, "ms"),
    createRow("GET /wallet meanwhile, p99", busy.p99Ms, "ms"),
    createCeilingRow(
      "GET /wallet meanwhile, p99, to the fixed work",
      busy.p99Ms / measureFixedWorkMs(),
      P99_OF_FIXED_WORK,
      "ratio",
    ),
  ];
}

interface LeastWork {
  readonly insertSeconds: number;
  readonly hashSeconds: number;
}

/** Measures the work that an airdrop cannot avoid: its rows written once with their indexes, and its leaves hashed. */
async function measureLeastWork(sql: Sql): Promise<LeastWork> {
  await sql`create table rows_again (like distributions including all)`;
  const insertedAt = performance.now();
  await sql`insert into rows_again select * from distributions`;
  const insertSeconds = (performance.now() - insertedAt) / 1_000;
  const leaves = Array.from({ length: WALLETS }, (_, n): MerkleLeaf => {
    const address = getAddress(n) as MerkleLeaf["address"];
    return { address, amountWei: TOTAL_WEI / BigInt(WALLETS) };
  });
  const buckets = cutIntoBuckets(leaves);
  const hashedAt = performance.now();
  for (const bucket of buckets) hashMerkleTree(bucket);
  return { insertSeconds, hashSeconds: (performance.now() - hashedAt) / 1_000 };
}

/**
 * Measures one tree of all leaves, built here and by OpenZeppelin's library: ours first and last,
 * theirs in between.
 */
function measureTrees(): Row[] {
  const leaves = Array.from({ length: TREE_WALLETS }, (_, n): MerkleLeaf => {
    const address = getAddress(n) as MerkleLeaf["address"];
    return { address, amountWei: BigInt(n) * 10n ** 15n + 1n };
  });
  const values = leaves.map(({ address, amountWei }) => [address, amountWei.toString()]);
  const time = (work: () => unknown) => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  };
  const first = time(() => buildMerkleTree(leaves));
  const theirs = time(() => StandardMerkleTree.of(values, ["address", "uint256"]));
  const ours = (first + time(() => buildMerkleTree(leaves))) / 2;
  console.error(`  trees: ours ${Math.round(ours)} ms, theirs ${Math.round(theirs)} ms`);
  return [
    createRow("a tree of 100,000 wallets", ours, "ms"),
    createRow("StandardMerkleTree.of, the same wallets", theirs, "ms"),
    createRow("StandardMerkleTree.of to ours", theirs / ours, "ratio", 15),
  ];
}

interface Seconds {
  readonly snapshot: number;
  readonly trees: number;
  readonly check: number;
  readonly all: number;
}

/** Orders a split as the dashboard does, and waits until the server has built it. */
async function buildCampaign(sql: Sql, location: DatabaseLocation): Promise<Seconds> {
  openDatabase({ address: location, connectionsMax: 4, statementTimeoutMs: 0, deadlineMs: 0 });
  const reward = await createCampaign(WORLD.pointSystemId, { totalAmountWei: TOTAL_WEI });
  const { rewardId } = await orderAllocation(reward, TOTAL_WEI);
  await closeDatabase();
  const startedAt = performance.now();
  const ends = new Map<string, number>();
  for (let last = "queued"; last !== "built"; await sleep(50)) {
    const [row] = await sql<{ status: string; failure: string | null }[]>`
      select status, failure from allocations where reward_id = ${rewardId}`;
    const status = row?.status ?? "failed";
    const passedS = (performance.now() - startedAt) / 1000;
    if (status !== last) ends.set(last, passedS);
    last = status;
    if (status === "failed" || passedS * 1000 > GIVES_UP_AFTER_MS) {
      throw new Error(`The airdrop is ${status}: ${row?.failure}`);
    }
    if (status === "built") ends.set("built", passedS);
  }
  const until = (status: string) => ends.get(status) ?? 0;
  return {
    snapshot: until("allocating") - until("queued"),
    trees: until("building") - until("allocating"),
    check: until("built") - until("building"),
    all: until("built"),
  };
}

interface ReadTimes {
  readonly p99Ms: number;
}

/** Reads a wallet every few milliseconds while `work` runs. */
async function readDuring<T>(
  url: string,
  work: () => Promise<T>,
): Promise<ReadTimes & { readonly result: T }> {
  const agent = new http.Agent({ keepAlive: true });
  const times: number[] = [];
  const failures: number[] = [];
  const reads = new Set<Promise<void>>();
  let n = 0;
  const timer = setInterval(() => {
    n += 1;
    const startedAt = performance.now();
    const read = readWallet(agent, url, (n * 7_919) % WALLETS).then((status) => {
      if (status === 200) times.push(performance.now() - startedAt);
      else failures.push(status);
      reads.delete(read);
    });
    reads.add(read);
  }, READ_EVERY_MS);
  try {
    const result = await work();
    clearInterval(timer);
    await Promise.all(reads);
    if (failures.length > 0) throw new Error(`GET /wallet answered ${failures[0]}`);
    times.sort((a, b) => a - b);
    return { result, p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
  } finally {
    clearInterval(timer);
    agent.destroy();
  }
}

function readWallet(agent: http.Agent, url: string, n: number): Promise<number> {
  const query = new URLSearchParams({
    pointSystemId: WORLD.pointSystemId,
    address: getAddress(n),
  });
  const headers = { Authorization: `Bearer ${WORLD.token}` };
  return new Promise((resolve, reject) => {
    const request = http.get(`${url}/wallet?${query}`, { agent, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    request.once("error", reject);
  });
}

/** Reads the peak memory of a process, with all its threads. */
function readPeakRss(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
