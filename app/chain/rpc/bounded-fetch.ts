import { createDeadline } from "../../domain/deadline";
import { createProviderError } from "./provider";

// Calls to those whom the operator of this server chose: they may be neighbours, by http, and answer
// megabytes. What strangers choose (ENS's gateways) goes through guarded-fetch.ts, which allows none of that.

const CALL_MS = 8_000;
/** A thousand records take about 1 MB. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

export interface BoundedRequest {
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly bytesMax?: number;
  readonly timeoutMs?: number;
}

/**
 * Asks one URL: no redirects, a deadline until the last byte, no more than so many bytes.
 * @throws {ProviderError} `unreachable`, `too_slow`, `unreadable`
 */
export async function fetchBounded(
  url: string,
  { body: sent, signal, bytesMax = BODY_BYTES_MAX, timeoutMs = CALL_MS }: BoundedRequest,
): Promise<{ status: number; headers: Headers; text: string }> {
  using deadline = createDeadline(timeoutMs, signal);
  try {
    const response = await fetch(url, {
      redirect: "error",
      signal: deadline,
      headers: { Accept: "application/json", ...(sent && { "Content-Type": "application/json" }) },
      ...(sent && { method: "POST", body: sent }),
    });
    const body = await readBody(response, bytesMax);
    return { status: response.status, headers: response.headers, text: body.toString("utf8") };
  } catch {
    // The message of fetch's own error can hold the URL, and with it a key.
    throw createProviderError(deadline.aborted ? "too_slow" : "unreachable");
  }
}

/** @throws {Error} at the first byte that is too many */
export async function readBody(response: Response, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws {ProviderError} `unreadable` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw createProviderError("unreadable");
  }
}

/** The seconds of a `Retry-After`, in milliseconds; 0 for none or a date. */
export function readRetryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get("retry-after"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}
