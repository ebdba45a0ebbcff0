/**
 * Answers with a file that is written as its pieces come, never faster than the client takes it.
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
        const next = await iterator.next();
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
