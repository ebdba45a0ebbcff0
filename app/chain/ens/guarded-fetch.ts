import { Resolver } from "node:dns/promises";
import type { ClientRequest, IncomingMessage } from "node:http";
import { type RequestOptions, request as requestByTls } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { createDeadline } from "../../domain/deadline";
import { isPublicAddress } from "./public-address";

// Calls addresses that strangers choose. Each call goes to a host on the Internet, never to a
// neighbour of this server, and every answer is bounded in time and size.

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
export interface GuardedFetchWorld {
  readonly lookUp: (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly isAllowed: (address: string) => boolean;
  readonly connect: (options: RequestOptions) => ClientRequest;
}

const DEADLINE_MS = 2_500;
const DNS_TRY_MS = 1_000;
const BODY_BYTES_MAX = 64 * 1024;
const URL_LENGTH_MAX = 16 * 1024;
const ADDRESSES_MAX = 32;

const WORLD: GuardedFetchWorld = {
  lookUp: lookUpAddresses,
  isAllowed: isPublicAddress,
  connect: requestByTls,
};

/**
 * Creates a fetch that is safe for addresses that strangers choose:
 * - It calls https on port 443 only, and sends no credentials.
 * - Every address of the host must be public. The address that was checked is the address that is
 *   called.
 * - It follows no redirects.
 * - It reads at most 64 KiB of JSON, within 2.5 s in all.
 * @returns calls an address; throws an Error when a rule is broken or no answer comes in time
 */
export function createGuardedFetch(world: Partial<GuardedFetchWorld> = {}): GuardedFetch {
  const { lookUp, isAllowed, connect } = { ...WORLD, ...world };
  return async ({ url, method, body, signal }) => {
    const target = parseTarget(url);
    if (body !== undefined && Buffer.byteLength(body) > BODY_BYTES_MAX) {
      throw new Error("The request is too large");
    }
    using ended = createDeadline(DEADLINE_MS, ...(signal === undefined ? [] : [signal]));
    const hostname = target.hostname.replace(/^\[|\]$/g, "");
    const addresses =
      isIP(hostname) === 0 ? await orEnd(lookUp(hostname, ended), ended) : [hostname];
    const [address] = addresses;
    if (address === undefined || addresses.length > ADDRESSES_MAX || !addresses.every(isAllowed)) {
      throw new Error("The host has no address, or one that is not public");
    }
    const response = await send(connect, ended, body, {
      protocol: "https:",
      hostname,
      port: 443,
      path: target.pathname + target.search,
      method,
      agent: false,
      lookup: pinTo(address),
      signal: ended,
      maxHeaderSize: 16 * 1024,
      ...(isIP(hostname) === 0 && { servername: hostname }),
      headers: {
        Accept: "application/json",
        "Accept-Encoding": "identity",
        ...(body !== undefined && {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
        }),
      },
    });
    try {
      return { status: checkHead(response), body: JSON.parse(await readText(response, ended)) };
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

/**
 * Looks up every address of a host with DNS itself: /etc/hosts names neighbours, and a slow name
 * server must not block the threads that the rest of the process needs.
 */
async function lookUpAddresses(hostname: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TRY_MS, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel);
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Answers every look-up with the address that was checked: a second look-up could differ. */
function pinTo(address: string): LookupFunction {
  const family = isIP(address);
  return (_, options, answer) => {
    if (options.all) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
}

function send(
  connect: GuardedFetchWorld["connect"],
  ended: AbortSignal,
  body: string | undefined,
  options: RequestOptions,
): Promise<IncomingMessage> {
  return orEnd(
    new Promise((resolve, reject) => {
      const request = connect(options);
      request.once("response", resolve);
      request.on("error", reject);
      // This client supports no other protocol.
      request.once("upgrade", (_, socket) => {
        socket.destroy();
        reject(new Error("The host wants another protocol"));
      });
      request.end(body);
    }),
    ended,
  );
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

async function readText(response: IncomingMessage, ended: AbortSignal): Promise<string> {
  const read = async () => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > BODY_BYTES_MAX) throw new Error("Too long an answer");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  };
  return orEnd(read(), ended);
}

/** Waits for a value until the deadline, even when the other side keeps the connection open. */
function orEnd<Value>(coming: Promise<Value>, ended: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new Error("The time is up"));
    if (ended.aborted) give();
    ended.addEventListener("abort", give, { once: true });
    coming.then(resolve, reject).finally(() => ended.removeEventListener("abort", give));
  });
}
