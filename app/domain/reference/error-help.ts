import type { FailureCode } from "../failure";
import { MANAGE_ERRORS } from "./manage-errors";

/** The cause of an error of the API, and the way out. */
export interface ErrorHelp {
  readonly cause: string;
  readonly remedy: string;
}

/**
 * The errors of the API, in the order of the reference. Every error that an endpoint answers is one
 * of these and has a page at /docs/errors/CODE. The failures of pages are not here.
 */
const API_ERRORS = {
  missing_api_key: {
    cause: "The call has no Authorization header.",
    remedy: "Send Authorization: Bearer rw_… with a key from the dashboard's API keys page.",
  },
  invalid_api_key_format: {
    cause: "The Authorization header does not hold a Bearer token that starts with rw_.",
    remedy: "Send the word Bearer, a space, and the whole key. The prefix rw_ is lower case.",
  },
  invalid_api_key: {
    cause: "No such key exists: it is mistyped, it was revoked, or it has expired.",
    remedy:
      "Compare the key with the one that was shown at its creation, or create another. A stored key cannot be shown again.",
  },
  read_permission_missing: {
    cause: "The key has the permission trigger only, and this endpoint reads.",
    remedy: "Use a key with the permission read or all. A key's permission never changes.",
  },
  trigger_permission_missing: {
    cause: "The key has the permission read only, and this endpoint writes.",
    remedy: "Use a key with the permission trigger or all. A key's permission never changes.",
  },
  point_system_out_of_scope: {
    cause:
      "The key may not use the point system that the call names. An id that is malformed or unknown is answered in the same way, and so is every call of a key without any point system.",
    remedy:
      "Compare pointSystemId with the one in the point system's settings, and the key's point systems on the API keys page.",
  },
  missing_fields: {
    cause:
      "triggerKey, walletAddress or pointSystemId is absent, null, empty or not a text. In a batch, it stands for an item of which one is.",
    remedy: "Send all three as texts. Check that the body is JSON and not form data.",
  },
  missing_parameter: {
    cause: "A required parameter is absent or blank. The message names the first one.",
    remedy: "Add the parameter that the message names.",
  },
  missing_address: {
    cause: "The parameter address is absent or blank.",
    remedy: "Add address with a wallet's 0x address.",
  },
  missing_proof_parameters: {
    cause: "onchainId, chainId or address is absent or blank.",
    remedy: "Take all three from an entry of GET /rewards/claim-status.",
  },
  duplicate_parameter: {
    cause: "A parameter stands in the query twice. The message names it.",
    remedy: "Send each parameter once.",
  },
  invalid_address: {
    cause: "The address is not 0x followed by 40 hexadecimal characters.",
    remedy: "Send the wallet's whole address, in any letter case. ENS names work with GET /points.",
  },
  invalid_wallet_address: {
    cause: "walletAddress is not 0x followed by 40 hexadecimal characters.",
    remedy: "Send the wallet's whole address, in any letter case. Resolve an ENS name first.",
  },
  invalid_address_or_ens: {
    cause: "The text is neither a 0x address nor an ENS name that resolves to one.",
    remedy: "Check the spelling, and that the name has an address record on Ethereum.",
  },
  invalid_point_system_id: {
    cause: "pointSystemId is not a UUID.",
    remedy: "Copy the id from the point system's settings. The short id of 4 characters is no id.",
  },
  invalid_proof_parameters: {
    cause: "onchainId or chainId is not a whole number in decimal digits, or address is malformed.",
    remedy: "Take all three from an entry of GET /rewards/claim-status as they are.",
  },
  invalid_page: {
    cause: "page is not a whole number of 1 or more.",
    remedy: "Count pages from 1, in digits. A page past the end is empty and no error.",
  },
  invalid_limit: {
    cause: "limit is not a whole number of 1 or more.",
    remedy: "Send 1 to 200. A larger number counts as 200, and the answer says so.",
  },
  invalid_include: {
    cause: "include has a value that this endpoint does not know.",
    remedy:
      "Send metadata or boost to GET /activity, tier, streaks or both to GET /wallet, tier to GET /leaderboard, wei to GET /rewards, root to GET /rewards/proof and wallet to POST /trigger, or leave it out.",
  },
  invalid_board: {
    cause:
      "board is not all-time, daily, weekly, monthly, one of these with a window, or season:SLUG.",
    remedy:
      "Send a board such as weekly, weekly:2026-W47, daily:2026-11-22, monthly:2026-11 or season:spring, or leave it out.",
  },
  board_not_found: {
    cause:
      "The point system has no such board, or the board had not begun at that window. A window of the future is unknown, too.",
    remedy: "Compare the board with those on the point system's Boards page.",
  },
  invalid_json: {
    cause: "The body is not JSON.",
    remedy: "Serialize the body with a JSON library, and send it as UTF-8.",
  },
  invalid_points: {
    cause:
      "The trigger takes variable points, and points is no whole number between its least and most. A batch also refuses points for a trigger of fixed points.",
    remedy: "Send a whole number within the trigger's range, or leave points out.",
  },
  invalid_items: {
    cause: "items is not a list, is empty, or has more than 1,000 entries.",
    remedy: "Send 1 to 1,000 items in a call, and more in further calls.",
  },
  invalid_atomic: {
    cause: "atomic is neither true nor false, but a text or a number, for example.",
    remedy: "Send true or false without quotes, or leave atomic out, which means false.",
  },
  invalid_metadata: {
    cause:
      "metadata is not a flat object of texts, numbers, booleans and nulls, or is over 2 KiB as JSON.",
    remedy: "Flatten nested values, or store them elsewhere and send their id.",
  },
  invalid_occurred_at: {
    cause:
      "occurredAt is not an ISO 8601 time with an offset, lies in the future, or is over 30 days old.",
    remedy: "Send a time such as 2026-01-02T03:04:05Z. Use an import for older events.",
  },
  invalid_idempotency_key: {
    cause: "The idempotency key is empty, over 255 characters, or has characters beyond ASCII.",
    remedy: "Send 1 to 255 printable ASCII characters, such as an order's number or a UUID.",
  },
  idempotency_key_reused: {
    cause:
      "The same idempotency key came before with another wallet, trigger or points. For a spend, the reason counts too.",
    remedy:
      "Give each credit and each spend a key of its own, and repeat a call with the body that it had.",
  },
  trigger_not_found: {
    cause: "The point system has no trigger with this key. Keys match exactly.",
    remedy: "Copy the key from the point system's Triggers page.",
  },
  trigger_inactive: {
    cause: "An operator has switched the trigger off.",
    remedy: "Switch it on on its page, or stop calling it.",
  },
  wallet_blacklisted: {
    cause: "The wallet is on the point system's blacklist and earns nothing.",
    remedy: "Do not repeat the call. An operator can take the wallet off the blacklist.",
  },
  points_limit_reached: {
    cause: "The credit would take the wallet past 9,007,199,254,740,991 points.",
    remedy: "Do not repeat the call. Use smaller points for the trigger.",
  },
  invalid_reason: {
    cause: "reason is not a text of 1 to 200 characters.",
    remedy: "Say in some words what the points are spent on.",
  },
  insufficient_points: {
    cause:
      "The wallet's balance, which is what it earned less what it spent, is smaller than the points.",
    remedy: "Read GET /balance before you offer it. Do not repeat the call as it is.",
  },
  spend_not_found: {
    cause: "The point system has no spend with this id.",
    remedy: "Send the spendId that POST /spend answered, with the same point system.",
  },
  rate_limit_exceeded: {
    cause:
      "This key has credited this wallet by this trigger 10 times within the last 60 seconds. Refused calls do not count.",
    remedy:
      "Repeat the call after the seconds in Retry-After. In a batch, the refused item says them as retryAfter.",
  },
  trigger_cap_reached: {
    cause:
      "The trigger has a cap, and the wallet has earned by it as often, or as many points, as the cap allows within its day, week, month or ever.",
    remedy:
      "Do not repeat the call before the seconds in Retry-After: the window ends then. Without Retry-After, do not repeat it. A call for fewer points can fit into a cap in points.",
  },
  too_many_requests: {
    cause:
      "This network has called the public endpoints, the claim page or shared pictures 60 times within the last 60 seconds. They share one budget.",
    remedy: "Repeat the call after the seconds in Retry-After. Keep answers for a few seconds.",
  },
  wallet_not_found: {
    cause: "The wallet was never credited or registered in this point system.",
    remedy: "Treat it as 0 points, or register it with POST /wallets.",
  },
  airdrop_not_found: {
    cause: "No airdrop with this onchainId is open on this chain: unknown, ended or cancelled.",
    remedy: "Read onchainId and chainId from GET /rewards/claim-status, just before the claim.",
  },
  address_not_eligible: {
    cause: "The wallet has no share in this airdrop.",
    remedy: "Nothing can be claimed. GET /rewards/claim-status lists the wallet's shares.",
  },
  proof_not_built: {
    cause: "The wallet has a share, but its proof is not ready: the airdrop is still being built.",
    remedy: "Ask again in a minute. GET /rewards/claim-status says hasProof once it is ready.",
  },
  score_missing: {
    cause: "The score's backend answered without a score, and none is stored for this wallet.",
    remedy: "Repeat the call later. Once a score is stored, it is answered instead.",
  },
  score_unavailable: {
    cause: "The score's providers cannot be reached, and no score is stored for this wallet.",
    remedy: "Repeat the call later, with growing pauses. An operator sees the providers' state.",
  },
  ens_unavailable: {
    cause: "The ENS resolver cannot be reached, and the name's address is not known from before.",
    remedy: "Repeat the call later, or send the 0x address, which needs no resolver.",
  },
  not_credited: {
    cause:
      "The database did not take this call in time. It writes nothing, now or later. An earlier attempt may have.",
    remedy: "Send it again after Retry-After, with the same idempotency key.",
  },
  outcome_unknown: {
    cause:
      "The database did not confirm the credit or the spend in time. It may be there, now or later.",
    remedy:
      "Send it again after Retry-After with the same idempotency key. Without one it may be there twice.",
  },
  service_unavailable: {
    cause: "The service cannot reach its database within its deadline.",
    remedy: "Repeat the call after the seconds in Retry-After, with growing pauses.",
  },
  internal_error: {
    cause: "The service has a bug. It is logged with the X-Request-Id of the answer.",
    remedy: "Report that id to the service's operator. Repeating the call rarely helps.",
  },
  method_not_allowed: {
    cause: "The path exists, but does not take this method.",
    remedy: "Use the method that the header Allow names.",
  },
  not_found: {
    cause:
      "There is no endpoint at this path. To a call that manages, the thing that it names does not exist in the point system.",
    remedy: "Compare the path with the reference, and the id or key with the list of them.",
  },
  unsupported_content_type: {
    cause: "The body's Content-Type is not application/json.",
    remedy: "Send Content-Type: application/json.",
  },
  unsupported_content_encoding: {
    cause: "The body is compressed.",
    remedy: "Send the body as it is, without Content-Encoding.",
  },
  body_too_large: {
    cause:
      "The body is larger than the endpoint takes: 16 KiB, 128 KiB for a boost, 1 MiB for a batch and for lists of wallets, 10 MiB for the rows of an import.",
    remedy: "Split a batch into several, and shorten metadata.",
  },
  invalid_request: {
    cause:
      "No URL can be made of the path and the Host header, or the path has an encoded end of a line.",
    remedy: "Send a path that starts with / and is percent-encoded, and the service's host.",
  },
  malformed_request: {
    cause: "The bytes that arrived are not an HTTP request.",
    remedy: "Use an HTTP library, and check what proxies add on the way.",
  },
  request_timeout: {
    cause: "The request did not arrive whole in time.",
    remedy: "Send the body at once. Repeat the call, for a credit with its idempotency key.",
  },
  headers_too_large: {
    cause: "The request's headers are larger than 16 KiB.",
    remedy: "Send fewer or shorter headers. No endpoint needs cookies.",
  },
  expectation_failed: {
    cause: "The request expects something other than 100-continue.",
    remedy: "Leave the header Expect out.",
  },
  ...MANAGE_ERRORS,
} as const satisfies Partial<Record<FailureCode, ErrorHelp>>;

/** The code of an error of the API. */
export type ApiErrorCode = keyof typeof API_ERRORS;

/** The codes of the API's errors, in the order of the reference. */
export const API_ERROR_CODES = Object.keys(API_ERRORS) as ApiErrorCode[];

/** Checks whether a code is an error of the API, and so has a page. */
export function isApiErrorCode(code: string): code is ApiErrorCode {
  return Object.hasOwn(API_ERRORS, code);
}

/** Returns the cause of an error and the way out. */
export function getErrorHelp(code: ApiErrorCode): ErrorHelp {
  return API_ERRORS[code];
}
