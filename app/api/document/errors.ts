import { Failure } from "../../domain/failure";
import type { ApiErrorCode } from "../../domain/reference/error-help";
import { describeFailure } from "../../http/failures";
import { API_ENDPOINTS, type EndpointPath } from "../endpoints";
import { listInputFailures } from "../input";
import { DECLARATIONS } from "./declarations";

/** An error that an endpoint can answer. */
export interface EndpointError {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly message: string;
  /** Whether the body has the place of an item. */
  readonly hasItem: boolean;
}

/** The errors by which a call is refused before its endpoint, whatever the path. */
export const REFUSALS = [
  "method_not_allowed",
  "not_found",
  "invalid_request",
  "malformed_request",
  "request_timeout",
  "body_too_large",
  "headers_too_large",
  "expectation_failed",
  "internal_error",
  "service_unavailable",
] as const satisfies readonly ApiErrorCode[];

/** The parts of an error's answer. The parameter that a message names is written as `NAME`. */
export function describeError(code: ApiErrorCode): { status: number; message: string } {
  return describeFailure(new Failure(code, { name: "NAME" }));
}

const KEY_FAILURES = ["missing_api_key", "invalid_api_key_format", "invalid_api_key"] as const;

/** Lists the errors of an endpoint in the order of its checks, each code and status once. */
export function listEndpointErrors(path: EndpointPath): EndpointError[] {
  const { permission } = API_ENDPOINTS[path];
  const { input, failures, itemFailures = [] } = DECLARATIONS[path];
  const codes = [
    ...(permission === null
      ? (["too_many_requests"] as const)
      : [...KEY_FAILURES, `${permission}_permission_missing` as const]),
    ...(listInputFailures(input) as ApiErrorCode[]),
    ...(permission === null ? [] : (["point_system_out_of_scope"] as const)),
    ...failures,
    "internal_error" as const,
    "service_unavailable" as const,
  ];
  return [
    ...[...new Set(codes)].map((code) => ({ code, ...describeError(code), hasItem: false })),
    ...itemFailures.map((code) => ({ code, ...describeError(code), status: 409, hasItem: true })),
  ];
}

/** Lists the endpoints that answer an error. */
export function listEndpointsWithError(code: ApiErrorCode): EndpointPath[] {
  const paths = Object.keys(API_ENDPOINTS) as EndpointPath[];
  return paths.filter((path) => listEndpointErrors(path).some((error) => error.code === code));
}
