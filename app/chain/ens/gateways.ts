import type { CcipRequestParameters, Hex } from "viem";
import type { GuardedFetch } from "./guarded-fetch";

/** Gateways that are tried for one record. */
const URLS_MAX = 3;
/** Gateway calls for one name: a record can lead to another record. */
const CALLS_MAX = 6;

/** Asks gateways for one name's records, and remembers the outcome. */
export interface GatewayVisit {
  readonly request: (question: CcipRequestParameters) => Promise<Hex>;
  /** Checks whether the name needed a gateway. */
  readonly wasNeeded: () => boolean;
  /** Checks whether the gateways failed to return a record. */
  readonly hasFailed: () => boolean;
}

/**
 * Asks the gateways that a name's records list, as EIP-3668 describes, within limits for each name.
 * The method is GET when the address has `{data}`, otherwise POST. A server failure leads to the
 * next gateway.
 */
export function visitGateways(fetch: GuardedFetch, signal: AbortSignal): GatewayVisit {
  let calls = 0;
  let wasNeeded = false;
  let hasFailed = false;

  async function ask(url: string, sender: string, data: Hex): Promise<Hex | null> {
    calls += 1;
    if (calls > CALLS_MAX) throw new Error("Too many gateways");
    const isGet = url.includes("{data}");
    const { status, body } = await fetch({
      url: url.replaceAll("{sender}", sender.toLowerCase()).replaceAll("{data}", data),
      method: isGet ? "GET" : "POST",
      ...(!isGet && { body: JSON.stringify({ data, sender }) }),
      signal,
    });
    if (status >= 400 && status < 500) throw new RefusedError();
    const answer = typeof body === "object" && body !== null && "data" in body ? body.data : null;
    return status === 200 && isHex(answer) ? answer : null;
  }

  return {
    async request({ data, sender, urls }) {
      wasNeeded = true;
      for (const url of urls.slice(0, URLS_MAX)) {
        try {
          const answer = await ask(url, sender, data);
          if (answer !== null) return answer;
        } catch (error) {
          if (error instanceof RefusedError || signal.aborted) break;
        }
      }
      hasFailed = true;
      // Contracts receive this text.
      throw new Error("No gateway answered");
    },
    wasNeeded: () => wasNeeded,
    hasFailed: () => hasFailed,
  };
}

/** Thrown when a gateway rejects the question: other gateways would reject it too. */
class RefusedError extends Error {}

function isHex(value: unknown): value is Hex {
  return typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
}
