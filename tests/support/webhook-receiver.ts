import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A delivery that was received, with the headers that it came with. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: as JSON came
  readonly data: any;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export interface WebhookReceiver {
  readonly url: string;
  /** All requests so far, in the order in which they came. */
  readonly received: Received[];
  /** Answers requests; 204 unless a test sets another. */
  answer: RequestListener;
  /** Forgets what came so far. */
  readonly clear: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a receiver on this machine. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const id = String(request.headers["webhook-id"]);
    received.push({ ...JSON.parse(body), id, headers: request.headers, body, at: Date.now() });
    receiver.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (_, response) => response.writeHead(204).end(),
    clear: () => received.splice(0),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/**
 * Verifies a delivery with the library that receivers use.
 * @throws when no signature fits the secret, or its time is not now
 */
export function verifyReceived({ headers, body }: Received, secret: string): unknown {
  return new Webhook(secret).verify(body, {
    "webhook-id": String(headers["webhook-id"]),
    "webhook-timestamp": String(headers["webhook-timestamp"]),
    "webhook-signature": String(headers["webhook-signature"]),
  });
}
