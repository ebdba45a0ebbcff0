import type { IncomingMessage } from "node:http";
import { createDeadline } from "../../domain/deadline";
import { type CallWorld, createGuardedCall, readBounded } from "../../net/guarded-call";
import { isPublicAddress } from "../../net/public-address";

// Calls gateways, whose addresses strangers choose. Each call goes to a host on the Internet, and
// every answer is bounded in time and size.

/** A call to an address that a stranger chose. */
interface GuardedRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  /** The JSON body of a POST. */
  readonly body?: string;
  /** Ends the call before its own deadline. */
  readonly signal?: AbortSignal;
}

/** The answer, of any status except a redirect. */
interface GuardedAnswer {
  readonly status: number;
  /** The parsed JSON. */
  readonly body: unknown;
}

export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedAnswer>;

/** The network as the fetch uses it. Tests replace parts of it; nothing else may. */
export interface GuardedFetchWorld extends CallWorld {
  readonly isAllowed: (address: string) => boolean;
}

const DEADLINE_MS = 2_500;
const BODY_BYTES_MAX = 64 * 1024;
const URL_LENGTH_MAX = 16 * 1024;

/**
 * Creates a fetch that is safe for addresses that strangers choose:
 * - It calls https on port 443 only, and sends no credentials.
 * - Every address of the host must be public. The address that was checked is the address that is
 *   called.
 * - It follows no redirects.
 * - It reads at most 64 KiB of JSON, within 2.5 s in all.
 * @returns calls an address; throws an Error when a rule is broken or no answer comes in time
 */
export function createGuardedFetch({
  isAllowed = isPublicAddress,
  ...world
}: Partial<GuardedFetchWorld> = {}): GuardedFetch {
  const call = createGuardedCall(world);
  return async ({ url, method, body, signal }) => {
    const target = parseTarget(url);
    if (body !== undefined && Buffer.byteLength(body) > BODY_BYTES_MAX) {
      throw new Error("The request is too large");
    }
    using ended = createDeadline(DEADLINE_MS, ...(signal === undefined ? [] : [signal]));
    const response = await call({
      url: target,
      method,
      headers: {
        Accept: "application/json",
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body }),
      isAllowed,
      ended,
    });
    try {
      const status = checkHead(response);
      const { text, isWhole } = await readBounded(response, BODY_BYTES_MAX, ended);
      if (!isWhole) throw new Error("Too long an answer");
      return { status, body: JSON.parse(text) };
    } finally {
      response.destroy();
    }
  };
}

function parseTarget(text: string): URL {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text)) throw new Error("No usable URL");
  const url = new URL(text);
  const isPlain = url.username === "" && url.password === "" && url.port === "";
  if (url.protocol !== "https:" || !isPlain) throw new Error("Only https on port 443 is called");
  return url;
}

function checkHead({ statusCode = 0, headers }: IncomingMessage): number {
  if (statusCode >= 300 && statusCode < 400) throw new Error("Redirects are not followed");
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new Error("The answer is compressed");
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")) {
    throw new Error("The answer is no JSON");
  }
  if (Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX)
    throw new Error("Too long an answer");
  return statusCode;
}
