import { setTimeout as sleep } from "node:timers/promises";
import { createLimiter } from "../services/runtime/limiter";

/** The rest after each piece, as a multiple of the time that it took. */
const REST_PARTS = 3;
/** The shortest rest: those of small pieces are taken together, since a timer takes a millisecond at least. */
const REST_MS_MIN = 10;
/** A piece that takes longer, such as of a filter that finds nothing, works on beside the others' turns. */
const TURN_MS_MAX = 500;

/** Lets one piece at a time be made. Callers take turns, whatever the number of their downloads. */
const limitPieces = createLimiter({ atOnceMax: 1, waitingMax: 2_000, waitMs: 120_000 });
let restMs = 0;

/** The caller of a download, and what becomes of its failure. */
export interface DownloadContext {
  readonly ip: string;
  /** Breaks the connection by a reset: for a client of HTTP/1.0, its usual end would be the end of the file. */
  readonly breakConnection: () => void;
  /** Is called when a piece fails: the answer has begun by then, so only the log can show it. */
  readonly logError: (error: unknown) => void;
}

/**
 * Makes a piece when its caller has a turn. All downloads of a process together work a quarter of the time, and
 * leave the rest to the other requests, in this process and in the database.
 */
function takeTurn<Piece>(make: () => Promise<Piece>, ip: string): Promise<Piece> {
  return new Promise((resolve, reject) => {
    const take = async () => {
      const startedAtMs = performance.now();
      const piece = make();
      resolve(piece);
      await Promise.race([Promise.allSettled([piece]), sleep(TURN_MS_MAX, null, { ref: false })]);
      restMs += REST_PARTS * (performance.now() - startedAtMs);
      if (restMs < REST_MS_MIN) return;
      const lastsMs = restMs;
      restMs = 0;
      await sleep(lastsMs);
    };
    limitPieces(take, ip).catch(reject);
  });
}

/**
 * Answers with a file that is written as its pieces come, never faster than the client takes it, and in turns with
 * other downloads.
 * When the client goes away, `pieces` is ended. When `pieces` fails, the connection breaks, so that
 * a part never looks like the whole.
 */
export function streamDownload(
  fileName: string,
  contentType: string,
  pieces: AsyncIterable<string>,
  { ip, breakConnection, logError }: DownloadContext,
): Response {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let hasLeft = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await takeTurn(() => iterator.next(), ip);
        // The client went away meanwhile, and its stream takes no more.
        if (hasLeft) return;
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      } catch (error) {
        logError(error);
        // Before the server knows of the error: it would write its text into the file, and end that.
        breakConnection();
        throw error;
      }
    },
    async cancel() {
      hasLeft = true;
      await iterator.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": contentType,
      "Content-Disposition": `attachment; filename="${fileName.replace(/[^\w.-]/g, "-")}"`,
      "Cache-Control": "no-store",
    },
  });
}
