import { setTimeout as sleep } from "node:timers/promises";

/** The rest after each piece, as a multiple of the time that it took. */
const REST_PARTS = 3;
/** The shortest rest: those of small pieces are taken together, since a timer takes a millisecond at least. */
const REST_MS_MIN = 10;
/** The longest rest: a piece that took longer waited for something, and used no core. */
const REST_MS_MAX = 500;

/** Resolves when the next piece of any download may begin. */
let nextTurn: Promise<unknown> = Promise.resolve();
let restMs = 0;

/**
 * Makes a piece when no other download is at work. All downloads of a process together work a quarter of the time, and
 * leave the rest to the other requests, in this process and in the database.
 */
function takeTurn<Piece>(make: () => Promise<Piece>): Promise<Piece> {
  const begun = nextTurn.then(() => performance.now());
  const turn = begun.then(make);
  nextTurn = Promise.allSettled([turn]).then(async () => {
    restMs += REST_PARTS * (performance.now() - (await begun));
    if (restMs < REST_MS_MIN) return;
    const lastsMs = Math.min(restMs, REST_MS_MAX);
    restMs = 0;
    await sleep(lastsMs);
  });
  return turn;
}

/**
 * Answers with a file that is written as its pieces come, never faster than the client takes it, and in turns with
 * other downloads.
 * When the client goes away, `pieces` is ended. When `pieces` fails, the connection breaks, so that
 * a part never looks like the whole.
 * @param logError is called with the error when a piece fails: the answer has begun by then, so
 *   only the log can show it
 */
export function streamDownload(
  fileName: string,
  contentType: string,
  pieces: AsyncIterable<string>,
  logError?: (error: unknown) => void,
): Response {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let hasLeft = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await takeTurn(() => iterator.next());
        // The client went away meanwhile, and its stream takes no more.
        if (hasLeft) return;
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      } catch (error) {
        logError?.(error);
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
