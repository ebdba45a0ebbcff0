import { setTimeout as sleep } from "node:timers/promises";
import { createBook } from "./book";
import { keepCalling, makeCall } from "./callers";
import { checkLedger } from "./check";
import { type Fleet, startFleet } from "./fleet";
import { NETWORK_FAULTS } from "./proxy";
import { createRandom, type Random } from "./random";

export interface EnduranceOptions {
  /** Acknowledged credits before it ends. */
  readonly credits: number;
  /** Kills of processes before it ends. */
  readonly kills: number;
  /** The number that repeats the choice of harms and calls; their moments differ from run to run. */
  readonly seed: number;
  readonly callers: number;
  /** The longest time between two harms. */
  readonly pauseMsMax: number;
  readonly log: (line: string) => void;
}

/** Bytes of disk that a credit may need: its event, its wallet, its key and their log. */
const DISK_BYTES_CREDIT = 2_500;
const DISK_MEBIBYTES_MIN = 2_048;
const CLOCK_MS_MAX = 3_600_000;

/** The harms that kill a process, by name. */
const KILLS: Record<string, (fleet: Fleet, random: Random) => Promise<void> | void> = {
  "a server": ({ servers }, random) => random.pick(servers).kill(),
  "the worker": ({ worker }) => worker.kill(),
  PostgreSQL: ({ killDatabase }) => killDatabase(),
  "a process of PostgreSQL": ({ killDatabaseProcess }) => killDatabaseProcess(),
};

/** The other harms. */
const HARMS: Record<string, (fleet: Fleet, random: Random) => Promise<void>> = {
  "network to a server": async ({ servers }, random) =>
    random.pick(servers).proxy.fail(random.pick(NETWORK_FAULTS), random.between(200, 3_000)),
  "network to the database": async ({ databaseProxy }, random) =>
    databaseProxy.fail(random.pick(NETWORK_FAULTS), random.between(200, 3_000)),
  "a full disk": async ({ disk }, random) => {
    if (!disk.canFill) return;
    const makeRoom = await disk.fill();
    await sleep(random.between(500, 3_000));
    await makeRoom();
  },
  "a clock that jumps": async ({ moveClock }, random) => {
    // The database may be down: then the clock stays.
    await moveClock(random.between(-CLOCK_MS_MAX, CLOCK_MS_MAX)).catch(() => {});
  },
};

/**
 * Credits through two servers while processes are killed, networks fail, the disk is full and clocks jump; then heals
 * all, makes every call of unknown outcome again with its key, and compares each call with the ledger.
 */
export async function endure(options: EnduranceOptions) {
  const { credits, kills, seed, callers, pauseMsMax, log } = options;
  // Harms have numbers of their own: how often callers ask for one differs from run to run.
  const random = createRandom(seed);
  const mebibytes = DISK_MEBIBYTES_MIN + Math.ceil((credits * DISK_BYTES_CREDIT) / 1024 ** 2);
  const fleet = await startFleet(createRandom(seed + 1), mebibytes);
  try {
    if (!fleet.disk.canFill) log("No disk of its own can be mounted here: the disk is never full.");
    const book = createBook();
    let isOver = false;
    const callersRandom = createRandom(seed + 2);
    const pickUrl = () => callersRandom.pick(fleet.servers).url;
    const load = Array.from({ length: callers }, () =>
      keepCalling(book, { random: callersRandom, pickUrl, isOver: () => isOver }),
    );
    const done: Record<string, number> = {};
    let killed = 0;
    const startedAt = performance.now();
    // What a harm waits for must not hide that the callers have failed.
    const failed = Promise.all(load).then(() => {});
    while (killed < kills || book.count("ok") < credits) {
      await Promise.race([sleep(random.between(100, pauseMsMax)), failed]);
      const isKill = killed < kills && random.next() < 0.6;
      const [name, harm] = random.pick(
        Object.entries<(typeof HARMS)[string] | (typeof KILLS)[string]>(isKill ? KILLS : HARMS),
      );
      log(
        `${((performance.now() - startedAt) / 1_000).toFixed(1)} s: ${name}; ${book.count("ok")} credited`,
      );
      await Promise.race([harm(fleet, random), failed]);
      done[name] = (done[name] ?? 0) + 1;
      if (isKill) killed += 1;
    }
    isOver = true;
    await failed;
    const seconds = (performance.now() - startedAt) / 1_000;
    log(`${seconds.toFixed(1)} s: all is healed`);
    await fleet.waitUntilReady();
    const unknown = book.calls.filter(({ outcome }) => outcome === "unknown");
    // Half of them stay unknown: each may be there once, or not.
    const repeated = unknown.filter((_, i) => i % 2 === 0);
    for (const call of repeated) {
      for (let tries = 0; call.outcome === "unknown" && tries < 20; tries += 1) {
        await makeCall(pickUrl(), call);
      }
    }
    log(`${unknown.length} calls were of unknown outcome; half of them were made again`);
    const urls = fleet.servers.map(({ url }) => url);
    const faults = await checkLedger({ ...fleet, urls }, book);
    await fleet.stop("SIGTERM");
    return {
      seconds,
      harms: done,
      kills: killed,
      credited: book.count("ok"),
      refused: book.count("failed"),
      unknown: book.count("unknown"),
      unknownBefore: unknown.length,
      faults,
    };
  } catch (error) {
    await sleep(1_000);
    for (const { listUnexpectedErrors } of fleet.servers) listUnexpectedErrors().map(log);
    await fleet.stop("SIGKILL");
    throw error;
  }
}
