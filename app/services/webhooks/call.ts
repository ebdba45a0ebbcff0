import { createDeadline } from "../../domain/deadline";
import { createRangeCheck, parseAddress } from "../../net/address-ranges";
import { AddressRefusedError, createGuardedCall, readBounded } from "../../net/guarded-call";
import { isPublicAddress } from "../../net/public-address";
import { processState } from "../../process/state";

/** The outcome of an attempt: an answer, or the problem that prevented one. */
export interface Attempt {
  readonly isDelivered: boolean;
  readonly status: number | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
  /** The reason why it is not delivered, in a sentence for operators. */
  readonly problem: string | null;
  readonly tookMs: number;
}

const DEADLINE_MS = 10_000;
const ANSWER_BYTES_MAX = 4 * 1024;
/** On public hosts, the ports of other services are not called. */
const PRIVATE_PORTS_END = 1024;

const settings = processState("webhook network", () => ({ isPrivate: createRangeCheck([]) }));
const call = createGuardedCall();

/**
 * Sets the networks of this process's own that webhooks may call.
 * @param ranges addresses and CIDR ranges
 */
export function openWebhooks({
  WEBHOOK_ALLOW_PRIVATE,
}: {
  readonly WEBHOOK_ALLOW_PRIVATE: readonly string[];
}): void {
  settings.isPrivate = createRangeCheck(WEBHOOK_ALLOW_PRIVATE);
}

/**
 * Posts a delivery. A public host is called by https, on port 443 or a port that any user may open;
 * a host in a private network that the settings name is called as its URL says. Redirects are not
 * followed.
 * @returns the outcome, within ten seconds or as soon as `signal` aborts
 */
export async function postDelivery(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Attempt> {
  const startedAt = performance.now();
  const end = (outcome: Omit<Attempt, "tookMs">): Attempt => ({
    ...outcome,
    tookMs: Math.round(performance.now() - startedAt),
  });
  using ended = createDeadline(DEADLINE_MS, signal);
  try {
    const isAllowed = (address: string) => mayCall(url, address);
    const response = await call({ url, method: "POST", headers, body, isAllowed, ended });
    const status = response.statusCode ?? 0;
    // The status decides. An answer that does not end in time is cut off.
    const { text } = await readBounded(response, ANSWER_BYTES_MAX, ended)
      .catch(() => ({ text: "" }))
      .finally(() => response.destroy());
    const isDelivered = status >= 200 && status < 300;
    return end({
      isDelivered,
      status,
      answer: text.replaceAll("\0", "\uFFFD"),
      problem: isDelivered ? null : describeStatus(status),
    });
  } catch (error) {
    return end({
      isDelivered: false,
      status: null,
      answer: null,
      problem: describeProblem(error, ended),
    });
  }
}

function mayCall(url: URL, address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed && settings.isPrivate(parsed)) return true;
  const port = Number(url.port) || 443;
  const isPublicService = port === 443 || port >= PRIVATE_PORTS_END;
  return url.protocol === "https:" && isPublicService && isPublicAddress(address);
}

function describeStatus(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `It answered ${status}${isRedirect ? ". Redirects are not followed" : ""}`;
}

function describeProblem(error: unknown, ended: AbortSignal): string {
  if (error instanceof AddressRefusedError) {
    return "The host has no address, or one that may not be called";
  }
  if (ended.aborted) return `It did not answer within ${DEADLINE_MS / 1_000} seconds`;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return `The connection failed${/^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? `: ${code}` : ""}`;
}
