import type { AppLoadContext } from "@remix-run/node";
import { Failure } from "../domain/failure";
import { describeFailure, getFailureHeaders, getHelpHeader } from "./failures";

const BASE_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
};

/**
 * Makes a JSON answer with the headers that every answer of the API has. All headers are set here:
 * headers that the server sets beforehand cost Node a slower path for each.
 */
export function answerJson(
  body: unknown,
  context: Pick<AppLoadContext, "replyHeaders">,
  { status = 200, headers }: { status?: number; headers?: Record<string, string> | undefined } = {},
): Response {
  const text = JSON.stringify(body);
  return new Response(text, {
    status,
    headers: {
      ...context.replyHeaders,
      ...BASE_HEADERS,
      // HEAD has the length too, whether the front door or Remix's router serves the request.
      "Content-Length": String(Buffer.byteLength(text)),
      ...headers,
    },
  });
}

/** A failure in the form of its answer: status, message and headers. */
export interface FailureAnswer {
  readonly failure: Failure;
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Turns an error that a handler threw into the documented answer, and logs its cause once. Every
 * endpoint, page, form and script route fails through this function.
 * @returns null for an error that is not a failure: a bug, which the caller logs or throws on
 */
export function toFailureAnswer(
  error: unknown,
  { logError }: Pick<AppLoadContext, "logError">,
): FailureAnswer | null {
  if (!(error instanceof Failure)) return null;
  if (error.details.cause) logError(error.details.cause);
  return { failure: error, ...describeFailure(error), headers: getFailureHeaders(error) };
}

/**
 * Answers an error that was thrown with JSON. The message stands under both names in use.
 * @param headers beside the usual ones
 */
export function answerError(
  error: unknown,
  context: AppLoadContext,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const answer = toFailureAnswer(error, context);
  if (!answer) context.logError(error);
  const known = answer ?? toFailureAnswer(new Failure("internal_error"), context);
  if (!known) throw error;
  const { failure, status, message, headers: own } = known;
  const { item } = failure.details;
  const body = { error: message, message, code: failure.code, ...(item !== undefined && { item }) };
  const help = getHelpHeader(failure.code);
  return answerJson(body, context, { status, headers: { ...headers, ...own, ...help } });
}

/** Sets the cookies that are due, unless the answer sets them itself. */
export function setCookies(
  response: Response,
  context: Pick<AppLoadContext, "setCookies">,
): Response {
  if (context.setCookies.length === 0) return response;
  const getName = (cookie: string) => cookie.slice(0, cookie.indexOf("="));
  const names = new Set(response.headers.getSetCookie().map(getName));
  for (const cookie of context.setCookies) {
    if (!names.has(getName(cookie))) response.headers.append("Set-Cookie", cookie);
  }
  return response;
}
