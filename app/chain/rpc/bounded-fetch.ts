import { createDeadline } from "../../domain/deadline";
import { ProviderError } from "./provider";

// Calls servers that the operator of this service chose: they may be neighbours, use http and
// answer with megabytes. Addresses that strangers choose (ENS gateways) go through
// ../ens/guarded-fetch.ts, which allows none of this.

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
 * Calls one URL. It follows no redirects, ends at a deadline that includes the last byte, and reads
 * at most `bytesMax`.
 * @throws {ProviderError} `unreachable`, `too_slow`
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
    // The message of fetch's own error can contain the URL, and with it a key.
    throw new ProviderError(deadline.aborted ? "too_slow" : "unreachable");
  }
}

/**
 * Reads the body of an answer.
 * @throws {Error} when the body is longer than `bytesMax`
 */
export async function readBody(response: Response, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Parses JSON.
 * @throws {ProviderError} `unreadable`
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderError("unreadable");
  }
}

/** A provider that asks for a longer time is asked again after this one: all processes keep the pause. */
const RETRY_AFTER_MS_MAX = 15 * 60_000;

/**
 * Reads the seconds of a `Retry-After` header, in milliseconds, at most 15 minutes. Returns 0 without the header or for
 * a date.
 */
export function readRetryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get("retry-after"));
  return seconds > 0 ? Math.min(seconds * 1_000, RETRY_AFTER_MS_MAX) : 0;
}
