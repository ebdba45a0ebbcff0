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
import { createRandom } from "./random";

export interface RollingOptions {
  readonly balancer: "haproxy" | "nginx";
  /** How often each server is restarted. */
  readonly rounds: number;
  /** How often each server is killed after that. */
  readonly killRounds: number;
  readonly callers: number;
  readonly log: (line: string) => void;
}

/** Counts of calls, by their ends. */
export interface RollingResult {
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
 * Restarts two servers behind a balancer in turn under load, then kills them in turn, and counts the calls that broke and
 * the credits that were lost.
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
  const launch = (port: number) =>
    startServerProcess({
      dataDir,
      env: { PORT: String(port), LOG_LEVEL: "fatal", TRUSTED_PROXIES: "127.0.0.1", ...DRAIN[kind] },
    });
  const servers = [await launch(ports[0]), await launch(ports[1])];
  const balancer = await (kind === "haproxy" ? startHaproxy : startNginx)(dataDir, ports);
  const random = createRandom(1);
  const book = createBook();

  /** Calls through the balancer while something is done to each server in turn. Answers how many calls broke. */
  const whileCalling = async (signal: NodeJS.Signals, rounds: number) => {
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
    await Promise.all(servers.map((server) => server.end("SIGTERM")));
    await sql.end({ timeout: 1 });
    await cluster.release();
    await fs.rm(dataDir, { recursive: true, force: true });
  }
}
