import type { Server, ServerResponse } from "node:http";
import net, { type Socket } from "node:net";
import { setImmediate as endOwnTurn, setTimeout as sleep } from "node:timers/promises";
import type { Env } from "../env";

/** The default of DRAIN_SECONDS where a balancer asks for the readiness; elsewhere it is 0. */
const DRAIN_SECONDS_PROBED = 5;
/** The time that calls under way have to end once the listener is closed. */
const CALLS_MS_MAX = 8_000;
/** After this many looks in a row without a new connection, every caller waits for an answer. */
const QUIET_LOOKS = 6;
const QUIET_LOOK_MS = 5;
/** The most looks, some 2 s. A bound in time would end them where the machine has just left the process aside. */
const LOOKS_MAX = 400;
/** A connection that is not used for this long is closed without an answer. */
const IDLE_MS_MIN = 1_000;
const LOOK_EVERY_MS = 50;

/**
 * Chooses the time in which a process that was told to stop goes on accepting requests.
 * @param isProbed whether a balancer asks for the readiness, and can send its requests elsewhere
 */
export function chooseGraceMs({ DRAIN_SECONDS }: Env, isProbed: boolean): number {
  return (DRAIN_SECONDS ?? (isProbed ? DRAIN_SECONDS_PROBED : 0)) * 1_000;
}

/** Stops a server without breaking a call. */
export interface Drain {
  /** The answers that have not ended. */
  readonly underWay: ReadonlySet<ServerResponse>;
  /** Serves a request, now or as soon as the listener is closed. */
  readonly admit: (response: ServerResponse, serve: () => void) => void;
  /**
   * Ends the server. Each answer tells its caller to use another connection, so no caller sends a
   * call at the moment at which its connection is closed.
   * @param graceMs the time in which the server goes on accepting connections
   */
  readonly drain: (graceMs: number, hooks: DrainHooks) => Promise<void>;
}

export interface DrainHooks {
  /** Waits for the end of a turn of the event loop that accepts connections. */
  readonly endTurn?: (() => Promise<void>) | undefined;
  /** Called when the server accepts no more connections; the held calls wait for it. */
  readonly onClosed: () => Promise<void>;
}

/** Follows a server's calls, for the time at which it is told to stop. */
export function createDrain(server: Server): Drain {
  /** The open connections, each with its answers that have not ended, in the order of the calls. */
  const connections = new Map<Socket, Set<ServerResponse>>();
  /** Those that end with an answer that has been chosen. */
  const ending = new WeakSet<Socket>();
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  let held: (() => void)[] | null = null;
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    const answers = new Set<ServerResponse>();
    connections.set(socket, answers);
    socket.once("close", () => {
      connections.delete(socket);
      // Node tells this to the first answer only. The others would be kept for good.
      for (const answer of answers) if (!answer.socket) answer.destroy().emit("close");
    });
  });

  /**
   * Waits for a moment at which no connection waits to be accepted: closing resets those. Each turn
   * of the event loop accepts one, so a turn that accepted none proves it; a pause alone does not.
   */
  async function waitForQuiet(endTurn: () => Promise<void>): Promise<void> {
    for (let looks = 0, quiet = 0; looks < LOOKS_MAX && quiet < QUIET_LOOKS; looks += 1) {
      const before = accepted;
      await sleep(QUIET_LOOK_MS);
      await endTurn();
      quiet = accepted === before ? quiet + 1 : 0;
    }
  }

  /** Ends the connections that no call uses, and all others at the deadline. */
  function endConnections(): void {
    server.closeIdleConnections();
    // A connection without a byte is not idle to Node, which waits for its headers.
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Ends a connection with the answer of its last call. */
  function endWith(response: ServerResponse): void {
    if (response.headersSent) return;
    response.shouldKeepAlive = false;
    ending.add(response.req.socket);
  }

  return {
    underWay,
    admit(response, serve) {
      const { socket } = response.req;
      const answers = connections.get(socket);
      // A call behind the last one gets no answer, so it may not be done either.
      const isLost = ending.has(socket) && answers?.size;
      answers?.add(response);
      underWay.add(response);
      response.once("close", () => {
        answers?.delete(response);
        underWay.delete(response);
      });
      if (isLost) return;
      if (isDraining) endWith(response);
      if (held) held.push(serve);
      else serve();
    },
    async drain(graceMs, { endTurn = () => endOwnTurn(), onClosed }) {
      isDraining = true;
      for (const answers of connections.values()) [...answers].slice(-1).forEach(endWith);
      await sleep(graceMs);
      // Callers that call again after each answer are quiet while their calls are held.
      const waiting: (() => void)[] = [];
      held = waiting;
      await waitForQuiet(endTurn);
      // The method of http would also close connections on which a call may be about to arrive.
      const closed = new Promise<void>((resolve) =>
        net.Server.prototype.close.call(server, () => resolve()),
      );
      await onClosed();
      held = null;
      for (const serve of waiting) serve();
      await Promise.race([closed, sleep(IDLE_MS_MIN)]);
      const idle = setInterval(endConnections, LOOK_EVERY_MS);
      const deadline = setTimeout(() => {
        // A reset: the usual end would be the end of an answer over HTTP/1.0.
        for (const { req } of underWay) req.socket.resetAndDestroy();
        server.closeAllConnections();
      }, CALLS_MS_MAX);
      await closed;
      clearInterval(idle);
      clearTimeout(deadline);
    },
  };
}
