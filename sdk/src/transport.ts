import {
  ApiError,
  ConnectionError,
  createApiError,
  IdempotencyError,
  RefusedCreditError,
  TimeoutError,
} from "./errors.js";

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call, and the pause before its next attempt. The call rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt. */
  timeoutMs?: number | undefined;
  /** Milliseconds within which a failed attempt is followed by another; 0 for a single attempt. */
  retryForMs?: number | undefined;
}

/**
 * A request that may be sent more than once: a read, or a credit or spend with its Idempotency-Key.
 * @internal
 */
export interface RepeatableRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/**
 * A successful answer.
 * @internal
 */
export interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
}

/** Statuses of temporary failures. Every other answer would be the same once more. */
const TEMPORARY = new Set([408, 429, 502, 503, 504]);

const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 8_000;
/** The longest time that a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Sends a request until it is answered, fails for good, or `retryForMs` are over. Pauses are random and
 * grow; they come after the time in Retry-After. A refusal speaks of its own attempt: a write that is not taken after
 * an attempt of unknown outcome rejects with that attempt's error.
 * @internal
 */
export async function send(
  request: RepeatableRequest,
  fetchOnce: typeof fetch,
  options: CallOptions & { readonly timeoutMs: number; readonly retryForMs: number },
  onRetry: ((error: Error, pauseMs: number) => void) | undefined,
): Promise<Answer> {
  const endsAt = performance.now() + options.retryForMs;
  let openError: object | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await attemptOnce(request, fetchOnce, options);
    } catch (error) {
      const pauseMs = choosePause(error, attempt);
      let end = error;
      if (request.init.method === "POST" && pauseMs !== null && isOutcomeOpen(error)) {
        openError = error as Error;
      } else if (openError && isBeforeKey(error)) {
        end = Object.assign(openError, { cause: error });
      }
      if (pauseMs === null || !(performance.now() + pauseMs <= endsAt)) throw end;
      onRetry?.(error as Error, pauseMs);
      await pause(pauseMs, options.signal);
    }
  }
}

/** Checks whether an attempt that failed for now may have done its work nevertheless. */
function isOutcomeOpen(error: unknown): boolean {
  const { status, code = "" } = error as Partial<ApiError>;
  return status !== 429 && !/^(not_credited|service_unavailable)$/.test(code);
}

/** Checks for a refusal that may come before the look for the idempotency key, and so tells nothing of other attempts. */
function isBeforeKey(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    !(error instanceof RefusedCreditError || error instanceof IdempotencyError) &&
    error.code !== "trigger_not_found"
  );
}

/** Chooses the time before the next attempt; null when another one cannot help. */
function choosePause(error: unknown, attempt: number): number | null {
  const random = Math.random() * Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** attempt);
  if (error instanceof ConnectionError || error instanceof TimeoutError) return random;
  // A trigger's cap is a 429 that lasts until its window ends, or for ever.
  if (error instanceof RefusedCreditError) return null;
  const { status, retryAfterSeconds } = error as Partial<ApiError>;
  if (status === undefined || !TEMPORARY.has(status)) return null;
  return random + 1_000 * (retryAfterSeconds ?? 0);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const abort = end(() => reject(signal?.reason));
    const timer = setTimeout(end(resolve), Math.min(ms, TIMER_MS_MAX));
    signal?.addEventListener("abort", abort);
  });
}

async function attemptOnce(
  { url, init }: RepeatableRequest,
  fetchOnce: typeof fetch,
  { signal, timeoutMs }: CallOptions & { readonly timeoutMs: number },
): Promise<Answer> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort();
  // A malformed URL or header is the caller's mistake, and throws here as what it is.
  const request = new Request(url, { ...init, redirect: "manual", signal: controller.signal });
  const timer = setTimeout(abort, Math.min(timeoutMs, TIMER_MS_MAX));
  signal?.addEventListener("abort", abort);
  let response: Response;
  let text: string;
  try {
    response = await fetchOnce(request);
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    if (controller.signal.aborted) throw new TimeoutError(`No answer within ${timeoutMs} ms`);
    throw new ConnectionError("No answer: the connection was refused or lost", { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  return readAnswer(response, text);
}

function readAnswer({ ok, status, headers }: Response, text: string): Answer {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy's page, or a redirect.
  }
  const isObject = typeof body === "object" && body !== null;
  if (ok && isObject) return { body, headers };
  const { code, message, item } = (isObject ? body : {}) as Readonly<Record<string, unknown>>;
  const retryAfter = headers.get("retry-after") ?? "";
  const isDocumented = !ok && typeof code === "string";
  throw createApiError({
    status,
    code: isDocumented ? code : "unexpected_answer",
    message: isDocumented ? String(message) : `The answer ${status} is not the service's`,
    requestId: headers.get("x-request-id"),
    retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null,
    item: typeof item === "number" ? item : null,
  });
}
