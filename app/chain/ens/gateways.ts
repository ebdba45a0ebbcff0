import type { CcipRequestParameters, Hex } from "viem";
import type { GuardedFetch } from "./guarded-fetch";

/** Gateways of one record that are tried. */
const URLS_MAX = 3;
/** Calls to gateways for one name: a record can lead to another one. */
const CALLS_MAX = 6;

/** What asks gateways for one name's records, and how it went. */
export interface GatewayVisit {
  readonly request: (question: CcipRequestParameters) => Promise<Hex>;
  /** Whether any gateway was to be asked. */
  readonly wasNeeded: () => boolean;
  /** Whether a record could not be had. */
  readonly hasFailed: () => boolean;
}

/**
 * Asks the gateways that a name's records name, by EIP-3668, within bounds for the one name: GET where
 * the address has `{data}`, otherwise POST; the next one after a failure of the server's own.
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
      // Contracts get to see this text.
      throw new Error("No gateway answered");
    },
    wasNeeded: () => wasNeeded,
    hasFailed: () => hasFailed,
  };
}

/** The gateway says that the question is wrong: another one would too. */
class RefusedError extends Error {}

function isHex(value: unknown): value is Hex {
  return typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
}
