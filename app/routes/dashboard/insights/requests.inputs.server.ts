import { API_ENDPOINTS } from "../../../api/endpoints";
import type { RequestFilter } from "../../../domain/insights/logged-call";
import { API_ERROR_CODES, isApiErrorCode } from "../../../domain/reference/error-help";
import { parseRequestId } from "../../../domain/trace";
import { parseUuid } from "../../../domain/uuid";

/** The choice of all refused calls. */
const REFUSED = "refused";

export const ENDPOINT_OPTIONS = Object.entries(API_ENDPOINTS).map(([path, { method }]) => ({
  value: path,
  label: `${method} /${path}`,
}));
export const CODE_OPTIONS = [
  { value: REFUSED, label: "All rejected calls" },
  ...API_ERROR_CODES.map((code) => ({ value: code, label: code })),
];

/** Reads the request log's filter from a page's address. Invalid values count as not set. */
export function readRequestQuery(request: Request): RequestFilter {
  const query = new URL(request.url).searchParams;
  const read = (name: string) => query.get(name)?.trim() ?? "";
  const [endpoint, code] = [read("endpoint"), read("code")];
  return {
    requestId: parseRequestId(read("id")),
    apiKeyId: parseUuid(read("key")),
    endpoint: Object.hasOwn(API_ENDPOINTS, endpoint) ? endpoint : null,
    code: code === REFUSED || isApiErrorCode(code) ? code : null,
  };
}
