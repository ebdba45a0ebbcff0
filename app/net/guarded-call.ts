import { Resolver } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { type RequestOptions, request as requestByTls } from "node:https";
import { isIP, type LookupFunction } from "node:net";

// Calls addresses that strangers choose: a call never reaches a neighbour of this server unless the
// caller's rule allows its address.

/** The network as guarded calls use it. Tests replace parts of it; nothing else may. */
export interface CallWorld {
  readonly lookUp: (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly connect: (options: RequestOptions) => ClientRequest;
}

export interface GuardedCall {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string;
  /** Decides for every address of the host; one that is not allowed refuses the call. */
  readonly isAllowed: (address: string) => boolean;
  /** Ends the call. */
  readonly ended: AbortSignal;
}

/** Thrown when the host has no address, or one that is not allowed. */
export class AddressRefusedError extends Error {
  constructor() {
    super("The host has no address, or one that is not public");
  }
}

/** Thrown when the deadline passes. */
class CallEndedError extends Error {
  constructor() {
    super("The time is up");
  }
}

const DNS_TRY_MS = 1_000;
const ADDRESSES_MAX = 32;

const WORLD: CallWorld = {
  lookUp: lookUpAddresses,
  connect: (options) => (options.protocol === "http:" ? requestPlain : requestByTls)(options),
};

/**
 * Creates a function that calls a URL, over TLS when it is https. The address that was checked is
 * the address that is called. It follows no redirects and sends no credentials.
 * @returns makes a call; resolves with the head of the answer, whose body the caller reads with
 *   `readBounded` and then destroys
 */
export function createGuardedCall(world: Partial<CallWorld> = {}) {
  const { lookUp, connect } = { ...WORLD, ...world };
  return async (call: GuardedCall): Promise<IncomingMessage> => {
    const { url, method, headers, body, isAllowed, ended } = call;
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    const isName = isIP(hostname) === 0;
    const addresses = isName ? await orEnd(lookUp(hostname, ended), ended) : [hostname];
    const [address] = addresses;
    if (address === undefined || addresses.length > ADDRESSES_MAX || !addresses.every(isAllowed)) {
      throw new AddressRefusedError();
    }
    return send(connect, ended, body, {
      protocol: url.protocol,
      hostname,
      port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      path: url.pathname + url.search,
      method,
      agent: false,
      lookup: pinTo(address),
      signal: ended,
      maxHeaderSize: 16 * 1024,
      ...(isName && url.protocol === "https:" && { servername: hostname }),
      headers: {
        "Accept-Encoding": "identity",
        ...headers,
        ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }),
      },
    });
  };
}

/**
 * Reads the body of an answer, until the deadline.
 * @returns at most `bytesMax` bytes, and whether there are more
 */
export function readBounded(
  response: IncomingMessage,
  bytesMax: number,
  ended: AbortSignal,
): Promise<{ text: string; isWhole: boolean }> {
  const read = async () => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes > bytesMax) break;
    }
    const text = Buffer.concat(chunks).subarray(0, bytesMax).toString("utf8");
    return { text, isWhole: bytes <= bytesMax };
  };
  return orEnd(read(), ended);
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
  connect: CallWorld["connect"],
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

/** Waits for a value until the deadline, even when the other side keeps the connection open. */
function orEnd<Value>(coming: Promise<Value>, ended: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new CallEndedError());
    if (ended.aborted) give();
    ended.addEventListener("abort", give, { once: true });
    coming.then(resolve, reject).finally(() => ended.removeEventListener("abort", give));
  });
}
