import { CALL_LIMITS, type CallLimitName, type Room } from "../domain/call-limits";

/** The names of the headers, for browsers to show to pages. */
export const RATE_LIMIT_HEADERS = "RateLimit, RateLimit-Policy";

/** Writes a limit and its room as structured fields (IETF draft-ietf-httpapi-ratelimit-headers). */
export function getRateLimitHeaders(
  name: CallLimitName,
  { callsLeft, seconds }: Room,
): Record<string, string> {
  const limit = CALL_LIMITS[name];
  return {
    RateLimit: `"${name}";r=${callsLeft};t=${seconds}`,
    "RateLimit-Policy": `"${name}";q=${limit.calls};w=${limit.seconds}`,
  };
}
