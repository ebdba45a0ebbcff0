import { expect, test } from "vitest";
import { Failure, type FailureCode } from "../../app/domain/failure";
import { describeFailure } from "../../app/http/failures";

/**
 * Every error of the interface document that these endpoints can answer, and the errors that this
 * project decided on.
 */
const MESSAGES: [FailureCode, number, string][] = [
  ["missing_fields", 400, "Missing required fields: triggerKey, walletAddress, pointSystemId"],
  ["missing_api_key", 401, "Missing API key"],
  ["invalid_api_key_format", 401, "Invalid API key format"],
  ["invalid_api_key", 401, "Invalid API key"],
  [
    "point_system_out_of_scope",
    403,
    "This API key does not have access to the specified point system",
  ],
  ["read_permission_missing", 403, "This API key does not have read permissions"],
  ["trigger_permission_missing", 403, "This API key does not have trigger permissions"],
  ["trigger_inactive", 403, "Trigger is inactive"],
  ["wallet_blacklisted", 403, "Wallet is blacklisted"],
  ["trigger_not_found", 404, "Trigger not found"],
  ["wallet_not_found", 404, "Wallet not found in this point system"],
  ["missing_proof_parameters", 400, "Missing onchainId, chainId, or address"],
  ["invalid_proof_parameters", 400, "Invalid onchainId, chainId, or address"],
  ["invalid_point_system_id", 400, "Invalid pointSystemId"],
  ["airdrop_not_found", 404, "Airdrop not found"],
  ["address_not_eligible", 404, "Address not eligible for this airdrop"],
  ["proof_not_built", 404, "Merkle proof not yet generated"],
  ["too_many_requests", 429, "Too many requests"],
  ["rate_limit_exceeded", 429, "Rate limit exceeded"],
  ["method_not_allowed", 405, "Method not allowed"],
  ["not_found", 404, "Not found"],
  ["missing_parameter", 400, "Missing required parameter: address"],
  ["duplicate_parameter", 400, "Duplicate parameter: address"],
  ["invalid_address", 400, "Invalid address"],
  ["invalid_wallet_address", 400, "Invalid wallet address"],
  ["invalid_json", 400, "Invalid JSON body"],
  ["unsupported_content_type", 415, "Content-Type must be application/json"],
  ["body_too_large", 413, "Request body too large"],
  ["invalid_page", 400, "Invalid page"],
  ["invalid_limit", 400, "Invalid limit"],
  ["invalid_include", 400, "Invalid include"],
  ["points_limit_reached", 400, "Points limit reached"],
  ["idempotency_key_reused", 409, "Idempotency-Key already used with another request"],
  ["invalid_address_or_ens", 400, "Invalid address or ENS domain"],
  ["ens_unavailable", 503, "ENS resolution unavailable"],
  ["missing_address", 400, "Missing address"],
  ["score_missing", 502, "Score service returned no score"],
  ["score_unavailable", 503, "Score service unavailable"],
  ["internal_error", 500, "Internal server error"],
  ["service_unavailable", 503, "Service unavailable"],
];

test.each(MESSAGES)("%s answers %i with the exact message", (code, status, message) => {
  expect(describeFailure(new Failure(code, { name: "address" }))).toEqual({ status, message });
});
