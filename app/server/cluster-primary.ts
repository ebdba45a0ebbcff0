import cluster, { type Worker } from "node:cluster";
import { chooseDatabase, countKeptConnections, prepareDatabase } from "../db/open";
import type { Env } from "../env";
import type { Role, ToChild, ToPrimary } from "./cluster-messages";
import { chooseGraceMs } from "./drain";
import { createLogger } from "./logger";
import { stopOnSignals } from "./signals";

/** A child that ends sooner than this after its start counts as one that fails again and again. */
const STEADY_MS = 60_000;
const RESTART_MS_MIN = 250;
const RESTART_MS_MAX = 30_000;

/** The place of a child: a process that ends is replaced by another one in its place. */
interface Place {
  readonly role: Role;
  readonly isFirst: boolean;
  child: Worker | null;
  isServing: boolean;
  isProbed: boolean;
  isClosed: boolean;
  startedAt: number;
  /** Ends in a row soon after the start. */
  failures: number;
}

const createPlace = (role: Role, isFirst: boolean): Place => ({
  ...{ role, isFirst, child: null, isServing: false, isProbed: false, isClosed: false },
  ...{ startedAt: 0, failures: 0 },
});

/** A message of node:cluster: a connection for a child, or the child's word whether it has taken it. */
interface HandOver {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/**
 * Closes the connections that a child could not take, since it ended or had no file left. node:cluster keeps them open:
 * their callers would wait as long as they can, each takes a file of this process, and the child gets no further one.
 */
function closeLostHandOvers({ process: channel }: Worker): void {
  const underWay = new Map<number | undefined, { readonly close: () => void }>();
  const send = channel.send.bind(channel) as (...args: unknown[]) => boolean;
  channel.send = (message: HandOver, ...args: unknown[]) => {
    if (message.act === "newconn") underWay.set(message.seq, args[0] as { close: () => void });
    return send(message, ...args);
  };
  channel.on("internalMessage", ({ cmd, ack }: HandOver) => {
    underWay.delete(ack);
    const [seq] = underWay.keys();
    if (cmd !== "NODE_HANDLE_NACK" || seq === undefined) return;
    // As if the child had taken it: node:cluster then closes it here, and hands it the next one.
    channel.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: true });
  });
  // Everything that it said is read by then. `disconnect` does not come during a hand-over.
  channel.once("close", () => {
    for (const connection of underWay.values()) connection.close();
  });
}

/**
 * Runs WEB_CONCURRENCY serving processes on one port, and one with the background work. It holds
 * the database for all of them, restarts those that end, and stops them together.
 * @param entry the program that a child runs
 * @throws {Error} with a message for people when the port is taken or the database fails
 */
export async function supervise(env: Env, entry: string): Promise<void> {
  const { logger, flush } = createLogger(env.LOG_LEVEL);
  const log = (message: string) => logger.info({ component: "database" }, message);
  const processes = env.WEB_CONCURRENCY + Number(env.WORKER);
  const database = await prepareDatabase({
    ...chooseDatabase(env),
    isServing: true,
    connections: countKeptConnections(processes, env),
    log,
  });
  cluster.setupPrimary({ exec: entry });

  const servers = Array.from({ length: env.WEB_CONCURRENCY }, (_, i) =>
    createPlace("server", i === 0),
  );
  const places = env.WORKER ? [...servers, createPlace("worker", false)] : servers;
  let isStopping = false;
  let hasStarted = false;
  let onStarted = () => {};
  let onOutdated = () => {};
  const outdated = new Promise<void>((resolve) => {
    onOutdated = resolve;
  });
  let onFailed = (_message: string) => {};

  function send(place: Place, message: ToChild): void {
    place.child?.send(message, () => {});
  }

  function announce(): void {
    const isComplete = servers.every(({ isServing }) => isServing);
    for (const server of servers) send(server, { type: "complete", isComplete });
    if (places.every(({ isServing }) => isServing)) onStarted();
  }

  /** Lets the children answer their last calls once none of them accepts connections. */
  function announceClosed(): void {
    if (!isStopping || !servers.every(({ child, isClosed }) => isClosed || !child)) return;
    for (const server of servers) send(server, { type: "all-closed" });
  }

  function start(place: Place): void {
    if (isStopping) return;
    place.startedAt = Date.now();
    let child: Worker;
    try {
      child = cluster.fork();
    } catch (error) {
      end(place, undefined, (error as Error).message); // Node throws where memory is lacking.
      return;
    }
    const { pid } = child.process;
    child.on("error", ({ message }) => {
      // Node emits this where files or processes are lacking. A child without a pid never exits.
      if (pid === undefined) end(place, pid, message);
    });
    if (pid === undefined) return;
    closeLostHandOvers(child);
    place.child = child;
    child.on("message", (message: ToPrimary) => take(place, message));
    child.once("exit", (code, signal) => end(place, pid, signal ?? String(code)));
  }

  /** Notes that a child has ended, or that none could be started. */
  function end(place: Place, pid: number | undefined, reason: string): void {
    Object.assign(place, { child: null, isServing: false, isProbed: false });
    announceClosed();
    if (isStopping) return;
    announce();
    if (!hasStarted) onFailed(`A process ended before it could serve: ${reason}`);
    else restart(place, pid, reason);
  }

  function restart(place: Place, pid: number | undefined, reason: string): void {
    const wasSteady = Date.now() - place.startedAt > STEADY_MS;
    place.failures = wasSteady ? 1 : place.failures + 1;
    const restMs = Math.min(RESTART_MS_MIN * 2 ** (place.failures - 1), RESTART_MS_MAX);
    logger.error({ role: place.role, pid, reason, restMs }, "a process has ended: restarting it");
    setTimeout(() => start(place), restMs);
  }

  function take(place: Place, message: ToPrimary): void {
    if (message.type === "hello") {
      // Messages sent before its first one are lost: it did not listen yet.
      const { role, isFirst } = place;
      const { address } = database;
      if (isStopping) send(place, { type: "stop", graceMs: 0 });
      else {
        const number = places.indexOf(place);
        send(place, {
          type: "begin",
          role,
          address,
          place: number,
          isFirst: isFirst && !hasStarted,
        });
      }
    } else if (message.type === "serving") {
      place.isServing = true;
      if (message.setUpUrl) {
        console.error(`No operator yet. Make the first one: ${message.setUpUrl}`);
      }
      if (message.url) url = message.url;
      announce();
    } else if (message.type === "failed") {
      if (hasStarted) logger.error({ role: place.role, message: message.message }, "start failed");
      else onFailed(message.message);
    } else if (message.type === "probed") {
      place.isProbed = message.isProbed;
    } else if (message.type === "outdated") {
      onOutdated();
    } else if (message.type === "turn") {
      send(place, { type: "turned" });
    } else {
      place.isClosed = true;
      announceClosed();
    }
  }

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    await Promise.all(
      places.map(async (place) => {
        const { child } = place;
        if (!child) return;
        const ended = new Promise((resolve) => child.once("exit", resolve));
        send(place, { type: "stop", graceMs });
        await ended;
      }),
    );
    await database.release();
    logger.info("stopped");
    await flush();
  }

  let url = "";
  try {
    await new Promise<void>((resolve, reject) => {
      onStarted = resolve;
      onFailed = (message) => reject(new Error(message));
      for (const place of places) start(place);
    });
  } catch (error) {
    await stop(0);
    throw error;
  }
  hasStarted = true;
  const isProbed = () => servers.some((server) => server.isProbed);
  stopOnSignals({ stop, chooseGraceMs: () => chooseGraceMs(env, isProbed()), outdated });
  console.error(`Points and Rewards is ready at ${url}`);
}
