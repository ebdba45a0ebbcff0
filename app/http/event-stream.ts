const HEARTBEAT_MS = 15_000;
/** The wait before a browser reconnects by itself, in milliseconds. */
const RETRY_MS = 3_000;
/** The most messages that a client may be behind. A client that does not read is disconnected. */
const UNREAD_MAX = 20;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // Without this header proxies would hold messages back.
  "X-Accel-Buffering": "no",
  // The connection ends with the stream when the server stops.
  Connection: "close",
};

/** One stream of server-sent events. */
export interface EventStream {
  /** @param id the browser sends its last one back when it reconnects */
  readonly send: (id: number, data: unknown) => void;
  readonly end: () => void;
}

/**
 * Answers with server-sent events, and a heartbeat between them.
 * @param open begins to send, and returns the function that stops sending, which is called when the
 *   client has gone; an error that it throws is thrown here
 */
export function answerEventStream(
  request: Request,
  open: (stream: EventStream) => () => void,
): Response {
  if (request.method !== "GET") return new Response(null, { headers: HEADERS });
  const encoder = new TextEncoder();
  let isOpen = true;
  let leave = () => {};
  let heartbeat: NodeJS.Timeout | undefined;
  const stop = () => {
    isOpen = false;
    clearInterval(heartbeat);
    leave();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => {
        if (!isOpen) return;
        stop();
        controller.close();
      };
      const write = (text: string) => {
        if (!isOpen) return;
        controller.enqueue(encoder.encode(text));
        if ((controller.desiredSize ?? 0) < -UNREAD_MAX) end();
      };
      leave = open({
        send: (id, data) => write(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`),
        end,
      });
      write(`retry: ${RETRY_MS}\n\n`);
      heartbeat = setInterval(() => write(":\n\n"), HEARTBEAT_MS).unref();
      request.signal.addEventListener("abort", end, { once: true });
      // The client may have gone while its session was looked up.
      if (request.signal.aborted) end();
    },
    cancel: stop,
  });
  return new Response(body, { headers: HEADERS });
}
