import type { IncomingMessage, ServerResponse } from "node:http";
import { formatAnswer } from "./protocol-errors";

/** The time in which any body may arrive, however slowly. */
const FREE_MS = 15_000;
/** A body that takes longer must have arrived at this rate: 10 MiB within 5.6 minutes. */
const BYTES_A_SECOND_MIN = 32 * 1_024;
const CHECK_EVERY_MS = 2_000;
/** The time in which a client takes some of an answer that waits for it. */
const UNREAD_MS_MAX = 120_000;

/** The limits of what is dropped, which are those of the adapter where a connection is kept. */
const DROP_MS_MAX = 500;
const DROP_BYTES_MAX = 64 * 1_024 * 1_024;

/** The longest time of a request, for Node's own limit. */
export const REQUEST_MS_MAX = 600_000;

/**
 * Cuts off requests whose bodies arrive too slowly, and answers that nobody reads. A limit of time alone would either cut
 * off large uploads or let a client that sends a byte a second hold a connection for minutes.
 * @param underWay the answers of the requests that have not ended
 */
export function cutSlowClients(
  underWay: Iterable<ServerResponse>,
  unreadMsMax: number = UNREAD_MS_MAX,
): void {
  const firstSeen = new WeakMap<ServerResponse, { at: number; bytes: number }>();
  const lastTaken = new WeakMap<ServerResponse, { at: number; bytes: number }>();
  const check = () => {
    const now = performance.now();
    for (const response of underWay) {
      const { req: request } = response;
      if (request.complete) {
        const { writableLength, bytesWritten: bytes } = request.socket;
        const taken = lastTaken.get(response);
        if (writableLength === 0) lastTaken.delete(response);
        else if (taken?.bytes !== bytes) lastTaken.set(response, { at: now, bytes });
        else if (now - taken.at > unreadMsMax) request.socket.resetAndDestroy();
        continue;
      }
      const bytes = request.socket.bytesRead;
      const seen = firstSeen.get(response);
      if (!seen) {
        firstSeen.set(response, { at: now, bytes });
      } else if (now - seen.at > FREE_MS + ((bytes - seen.bytes) / BYTES_A_SECOND_MIN) * 1_000) {
        if (!response.headersSent) request.socket.write(formatAnswer("request_timeout"));
        request.socket.destroy();
      }
    }
  };
  setInterval(check, CHECK_EVERY_MS).unref();
}

/**
 * Drops the rest of a body that nobody reads, before an answer that ends its connection. Ending a
 * connection while the caller still sends resets it, which can take the answer away from the caller.
 * The adapter does this only after answers whose connection is kept.
 */
export async function dropUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (response.shouldKeepAlive || request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, DROP_MS_MAX);
    const drop = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DROP_BYTES_MAX) resolve();
      // A web stream pauses what it reads, and keeps the chunks.
      else if (request.isPaused()) request.removeAllListeners("data").on("data", drop).resume();
    };
    request.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    request.on("data", drop).resume();
  });
}
