import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { findFreePort } from "../support/free-port";
import { createDataDir, SMALL_FIXTURE, seed, startServerProcess } from "../support/server-process";
import { startHaproxy, startNginx } from "./balancers";
import { createBook } from "./book";
import { keepCalling } from "./callers";
import { checkLedger, type Faults } from "./check";
import { startWorker } from "./fleet";
import { createRandom } from "./random";

export interface RollingOptions {
  readonly balancer: "haproxy" | "nginx";
  /** How often each server, and the worker, is restarted. */
  readonly rounds: number;
  /** How often each server, and the worker, is killed after that. */
  readonly killRounds: number;
  readonly callers: number;
  readonly log: (line: string) => void;
}

/** Counts of calls, by their ends. */
export interface RollingResult {
  /** Those of servers; the worker's come to half as many more. */
  readonly restarts: number;
  readonly kills: number;
  readonly credited: number;
  /** Calls that got no answer, or a refusal other than the limit's, while servers were restarted. */
  readonly brokenByRestarts: number;
  /** The same while servers were killed. */
  readonly brokenByKills: number;
  readonly faults: Faults;
}

const STEADY_MS = 3_000;
/** haproxy asks /readyz, which sets the time by itself. */
const DRAIN = { haproxy: {}, nginx: { DRAIN_SECONDS: "2" } };

/**
 * Restarts two servers behind a balancer and a worker beside them in turn under load, then kills them in turn, and counts
 * the calls that broke and the credits that were lost.
 */
export async function rollServers({
  balancer: kind,
  rounds,
  killRounds,
  callers,
  log,
}: RollingOptions): Promise<RollingResult> {
  const dataDir = await createDataDir();
  const cluster = await holdEmbeddedCluster({ dataDir });
  await seed(dataDir, SMALL_FIXTURE.file);
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  const ports = [await findFreePort(), await findFreePort()] as const;
  const env = { LOG_LEVEL: "fatal", WORKER: "off", TRUSTED_PROXIES: "127.0.0.1", ...DRAIN[kind] };
  const launch = (port: number) =>
    startServerProcess({ dataDir, env: { PORT: String(port), ...env } });
  const servers = [await launch(ports[0]), await launch(ports[1])];
  const worker = startWorker({ DATABASE_URL: "", DATA_DIR: dataDir, RPC_URL_1: "off" });
  const balancer = await (kind === "haproxy" ? startHaproxy : startNginx)(dataDir, ports);
  const random = createRandom(1);
  const book = createBook();

  /** Calls through the balancer while something is done to each server in turn. Answers how many calls broke. */
  const whileCalling = async (signal: "SIGTERM" | "SIGKILL", rounds: number) => {
    const brokenBefore = book.countBroken();
    let isOver = false;
    const load = Array.from({ length: callers }, () =>
      keepCalling(book, { random, pickUrl: () => balancer.url, isOver: () => isOver, pauseMs: 5 }),
    );
    await sleep(STEADY_MS);
    for (let n = 0; n < rounds * servers.length; n += 1) {
      const place = n % servers.length;
      await servers[place]?.end(signal);
      servers[place] = await launch(ports[place] as number);
      if (place === 0) await worker.kill(signal);
      // The balancer asks every two seconds, and wants two good answers.
      await sleep(2 * STEADY_MS);
      log(`${signal} ${n + 1}: ${book.count("ok")} credited, ${book.countBroken()} broken`);
    }
    isOver = true;
    await Promise.all(load);
    return book.countBroken() - brokenBefore;
  };

  try {
    const brokenByRestarts = await whileCalling("SIGTERM", rounds);
    const brokenByKills = await whileCalling("SIGKILL", killRounds);
    return {
      restarts: rounds * servers.length,
      kills: killRounds * servers.length,
      credited: book.count("ok"),
      brokenByRestarts,
      brokenByKills,
      faults: await checkLedger({ sql, dataDir, urls: servers.map(({ url }) => url) }, book),
    };
  } finally {
    await balancer.stop();
    await worker.stop("SIGTERM");
    await Promise.all(servers.map((server) => server.end("SIGTERM")));
    await sql.end({ timeout: 1 });
    await cluster.release();
    await fs.rm(dataDir, { recursive: true, force: true });
  }
}
