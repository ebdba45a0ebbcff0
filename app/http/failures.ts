import type { CallLimitName } from "../domain/call-limits";
import type { Failure, FailureCode } from "../domain/failure";
import { isApiErrorCode } from "../domain/reference/error-help";
import { getRateLimitHeaders } from "./rate-limit";

/**
 * The status and the exact message of each failure. `{name}` is the parameter that the failure
 * names. The messages of the interface document are fixed; the others are decided in
 * docs/decisions.
 */
const ANSWERS = {
  method_not_allowed: [405, "Method not allowed"],
  not_found: [404, "Not found"],
  missing_api_key: [401, "Missing API key"],
  invalid_api_key_format: [401, "Invalid API key format"],
  invalid_api_key: [401, "Invalid API key"],
  read_permission_missing: [403, "This API key does not have read permissions"],
  trigger_permission_missing: [403, "This API key does not have trigger permissions"],
  manage_permission_missing: [403, "This API key does not have manage permissions"],
  manage_key_needs_owner: [403, "Only an owner can make a key that manages a point system"],
  manage_key_refused: [403, "Keys with the permission manage are kept in the dashboard"],
  point_system_out_of_scope: [
    403,
    "This API key does not have access to the specified point system",
  ],
  unsupported_content_type: [415, "Content-Type must be application/json"],
  unsupported_content_encoding: [415, "Content-Encoding is not supported"],
  body_too_large: [413, "Request body too large"],
  invalid_request: [400, "Invalid path or Host header"],
  malformed_request: [400, "Malformed HTTP request"],
  request_timeout: [408, "Request timeout"],
  headers_too_large: [431, "Request headers too large"],
  expectation_failed: [417, "Expectation failed"],
  invalid_json: [400, "Invalid JSON body"],
  missing_fields: [400, "Missing required fields: triggerKey, walletAddress, pointSystemId"],
  invalid_wallet_address: [400, "Invalid wallet address"],
  invalid_points: [400, "Invalid points"],
  invalid_items: [400, "Invalid items"],
  invalid_atomic: [400, "Invalid atomic. Send true or false"],
  invalid_metadata: [400, "Invalid metadata"],
  invalid_occurred_at: [400, "Invalid occurredAt"],
  invalid_idempotency_key: [400, "Invalid Idempotency-Key"],
  duplicate_parameter: [400, "Duplicate parameter: {name}"],
  missing_parameter: [400, "Missing required parameter: {name}"],
  invalid_address: [400, "Invalid address"],
  invalid_page: [400, "Invalid page"],
  invalid_limit: [400, "Invalid limit"],
  invalid_include: [400, "Invalid include"],
  invalid_board: [400, "Invalid board"],
  board_not_found: [404, "Board not found in this point system"],
  trigger_not_found: [404, "Trigger not found"],
  trigger_inactive: [403, "Trigger is inactive"],
  wallet_blacklisted: [403, "Wallet is blacklisted"],
  points_limit_reached: [400, "Points limit reached"],
  invalid_reason: [400, "Invalid reason"],
  insufficient_points: [409, "Insufficient points"],
  spend_not_found: [404, "Spend not found"],
  idempotency_key_reused: [409, "Idempotency-Key already used with another request"],
  rate_limit_exceeded: [429, "Rate limit exceeded"],
  trigger_cap_reached: [429, "Trigger cap reached"],
  wallet_not_found: [404, "Wallet not found in this point system"],
  invalid_point_system_id: [400, "Invalid pointSystemId"],
  missing_proof_parameters: [400, "Missing onchainId, chainId, or address"],
  invalid_proof_parameters: [400, "Invalid onchainId, chainId, or address"],
  airdrop_not_found: [404, "Airdrop not found"],
  address_not_eligible: [404, "Address not eligible for this airdrop"],
  proof_not_built: [404, "Merkle proof not yet generated"],
  too_many_requests: [429, "Too many requests"],
  invalid_address_or_ens: [400, "Invalid address or ENS domain"],
  ens_unavailable: [503, "ENS resolution unavailable"],
  // The failures from here on are of pages, which show the same text.
  event_voided: [409, "This event was already voided"],
  points_are_spent: [
    409,
    "These points are spent. First reverse spends that give back at least {name}",
  ],
  spend_reversed: [409, "This spend was already reversed"],
  event_is_move: [
    409,
    "This entry moved points between linked wallets and cannot be voided. Void the event that was credited",
  ],
  wallets_same: [400, "Enter two different wallets"],
  wallet_linked: [409, "This wallet is linked to a primary wallet already. Unlink it first"],
  wallet_has_links: [
    409,
    "Other wallets are linked to this one, so it cannot be linked. Unlink them first",
  ],
  primary_linked: [409, "The primary wallet is itself linked to another. Link to that one instead"],
  wallet_not_linked: [404, "This wallet is not linked"],
  too_many_linked_wallets: [409, "The primary wallet has reached its limit of 20 wallets"],
  form_already_sent: [
    409,
    "This form was already sent with other values. Reload the page to send another",
  ],
  ens_not_configured: [400, "ENS names are not available here. Enter an address"],
  chain_not_configured: [400, "This chain is not set up here. Set {name} to its JSON-RPC endpoint"],
  chain_unavailable: [503, "The chain's endpoint does not answer"],
  contract_absent: [
    409,
    "The campaign contract is not deployed on this chain. Run npm run contracts:deploy -- {name}",
  ],
  contract_different: [
    409,
    "The code at {name} is not the campaign contract's. Send nothing there",
  ],
  payouts_refused: [400, "Nothing was marked: {name}"],
  campaign_not_built: [409, "The split of this campaign is not built yet"],
  campaign_over: [409, "The deadline of this campaign has passed"],
  campaign_on_chain: [409, "The airdrop is already on chain. Continue there"],
  transaction_unknown: [409, "This transaction is not in a block yet"],
  transaction_reverted: [409, "This transaction failed on chain and changed nothing"],
  transaction_unsuitable: [409, "This transaction does not match this campaign: {name}"],
  invalid_hint: [400, "Invalid chainId or txHash"],
  role_missing: [403, "Your role in this point system does not allow this"],
  invalid_form: [400, "Unknown form"],
  invalid_field: [400, "Invalid field {name}"],
  slug_taken: [409, "Another point system uses this slug"],
  sandbox_mixed: [409, "A key reaches either sandboxes or other point systems"],
  sandbox_not_public: [409, "A sandbox has no public pages. Leave the slug empty"],
  sandbox_needs_testnet: [409, "A sandbox uses test networks only. Choose one"],
  sandbox_needed: [409, "Only a sandbox can be cleared"],
  trigger_key_taken: [409, "The trigger “{name}” already uses this key"],
  board_taken: [409, "This point system already has this board"],
  too_many_boards: [409, "This point system has reached its limit of 10 open boards"],
  board_archived: [
    409,
    "Events of this time are archived and cannot be counted. Choose a later start",
  ],
  board_begun: [409, "This season has started. Its start cannot be changed"],
  board_ended: [409, "This board is not open"],
  streak_taken: [409, "Another streak of this point system uses this key"],
  too_many_streaks: [409, "This point system has reached its limit of 5 streaks"],
  too_many_boosts: [409, "This point system has 20 boosts that have not ended. End one first"],
  boost_past: [409, "A boost cannot start or end in the past"],
  boost_begun: [409, "This boost has started. It cannot be deleted, and its start stays"],
  boost_ended: [409, "This boost is not running"],
  wallet_prefix_unknown: [400, "No wallet here starts with this"],
  wallet_prefix_ambiguous: [400, "Several wallets start with this. Enter more characters"],
  too_many_notes: [409, "There are 50 notes on this wallet. Delete one first"],
  too_many_triggers: [409, "This point system has reached its limit of triggers"],
  api_key_exists: [409, "This key was already created and cannot be shown again"],
  too_many_api_keys: [409, "You have reached the limit of API keys"],
  webhook_exists: [409, "This webhook was already created. Its secret cannot be shown again"],
  webhook_off: [409, "This webhook is switched off. Switch it on first"],
  webhook_moved_on: [409, "This webhook or delivery has changed. Check it again"],
  webhook_replay_too_long: [
    409,
    "There are more than 50,000 deliveries since then. Choose a later moment",
  ],
  too_many_webhooks: [409, "This point system has reached its limit of 10 webhooks"],
  confirmation_wrong: [400, "The text does not match"],
  sign_in_refused: [401, "Wrong email address or password"],
  too_many_sign_ins: [429, "Too many sign-in attempts"],
  set_up_link_invalid: [403, "This set-up link is invalid or expired"],
  set_up_needed: [
    403,
    "This service is not set up yet. Open the link that it printed at its start",
  ],
  set_up_closed: [403, "This service already has an operator"],
  import_moved_on: [409, "This import has changed. Check it again"],
  import_changed: [409, "The credits of this import have changed. Check it again"],
  import_archived: [409, "The credits of this import are in an archive and cannot be undone"],
  import_unreadable: [400, "Part of this file cannot be read"],
  import_nothing: [400, "This import has no rows to credit"],
  import_empty: [400, "The file has no rows. Choose one with a row for each wallet"],
  import_not_utf8: [400, "The file is not UTF-8 text. Save it as CSV UTF-8 and upload it again"],
  import_too_large: [413, "The file is larger than 10 MiB. Split it into several files"],
  import_too_many_rows: [400, "The file has more than 250,000 rows. Split it into several imports"],
  import_too_many_drafts: [409, "There are 20 drafts already. Commit or discard one of them first"],
  too_many_uploads: [503, "Too many files are being uploaded"],
  allocation_under_way: [409, "This reward is already being split"],
  too_many_sign_ups: [429, "Too many sign-up attempts"],
  password_wrong: [401, "Wrong password"],
  password_needed: [403, "Enter your password to go on. It is then valid for ten minutes"],
  password_common: [400, "This is one of the most common passwords. Choose another"],
  password_names: [
    400,
    "The password contains your name, your address or the name of this service. Choose another",
  ],
  email_unusable: [409, "This email address cannot be used"],
  link_invalid: [403, "This link is invalid or expired"],
  too_many_links: [409, "There are too many open links. Revoke one first"],
  member_already: [409, "You are already a member of this point system"],
  members_limit_reached: [409, "This point system has reached its limit of members"],
  owner_stays: [409, "The owner cannot leave. Transfer ownership first"],
  administrator_needed: [409, "At least one administrator is needed"],
  account_disabled: [403, "This account is disabled. Ask an administrator"],
  code_wrong: [401, "Wrong code"],
  too_many_codes: [429, "Too many wrong codes"],
  sign_in_expired: [403, "This sign-in took too long. Sign in again"],
  authenticator_exists: [409, "Remove the current authenticator app first"],
  passkey_refused: [401, "This passkey was not accepted"],
  passkeys_need_name: [
    409,
    "Passkeys need a name in the address. Open this service by its name, or as localhost",
  ],
  too_many_passkeys: [409, "You have reached the limit of passkeys. Remove one first"],
  own_account: [409, "This is your own account. Ask another administrator"],
  heir_needed: [409, "Their point systems need a new owner. Enter an operator's email address"],
  heir_unknown: [400, "No other operator who can sign in has this email address"],
  token_decimals_wrong: [
    409,
    "The token has {name} decimals, unlike the published campaign. Cancel it and draft it again",
  ],
  campaign_moved_on: [409, "This campaign has changed. Check it again"],
  campaign_changed: [409, "The campaign's terms have changed. Check them again"],
  campaign_not_split: [409, "This campaign is not split yet"],
  campaign_no_wallets: [409, "No wallet is eligible right now"],
  campaign_split_running: [409, "A split of this campaign is already running"],
  points_board_open: [409, "The board whose points it counts has not ended yet. Wait for its end"],
  points_campaign_unknown: [400, "Choose a published campaign whose split is made here"],
  too_many_campaign_drafts: [409, "There are 100 drafts already. Publish or delete one of them"],
  token_unreadable: [400, "There is no ERC-20 token at this address on this chain"],
  token_details_missing: [
    400,
    "This chain is not set up here. Enter the token's symbol and decimals",
  ],
  token_amount_invalid: [
    400,
    "Enter an amount above 0 in plain digits, with at most {name} decimal places",
  ],
  token_amount_too_large: [400, "This is more than the campaign contract can hold"],
  deadline_passed: [400, "The deadline must be in the future"],
  gift_card_reward_moved_on: [409, "This reward has changed. Check it again"],
  gift_card_reward_busy: [409, "Another operator is changing this reward. Try again in a moment"],
  gift_card_tier_in_use: [409, "The tier “{name}” has codes. Remove them before the tier"],
  gift_cards_given: [409, "Wallets have cards of this reward already. It cannot be cancelled"],
  gift_cards_limit_reached: [409, "A reward can have at most 250,000 codes"],
  gift_card_codes_missing: [400, "There are no codes. Write one code per line"],
  gift_card_codes_too_many: [400, "There are more than 50,000 lines. Add them in several parts"],
  gift_card_keys_missing: [503, "GIFT_CARD_KEYS on this server lacks a key that is needed"],
  gift_cards_short: [409, "There are too few codes: {name}"],
  gift_cards_nobody_eligible: [409, "No wallet is eligible for a card right now"],
  gift_card_unavailable: [409, "This gift card is not available"],
  too_many_reveals: [429, "This gift card was revealed too often"],
  wallet_signature_refused: [401, "The wallet's signature does not match the message"],
  logo_too_large: [413, "The logo is larger than 64 KiB. Make it smaller"],
  logo_unknown: [400, "The logo must be a PNG, JPEG or WebP image"],
  logo_too_many_pixels: [400, "The logo has more than 2,048 pixels on a side. Make it smaller"],
  missing_address: [400, "Missing address"],
  score_missing: [502, "Score service returned no score"],
  score_unavailable: [503, "Score service unavailable"],
  internal_error: [500, "Internal server error"],
  service_unavailable: [503, "Service unavailable"],
  not_credited: [503, "Service unavailable"],
  outcome_unknown: [503, "Service unavailable"],
} as const satisfies Record<FailureCode, readonly [status: number, message: string]>;

/** The time that a caller is told to wait when the service is unavailable. */
const UNAVAILABLE_RETRY_AFTER_SECONDS = 1;
/**
 * The codes of an unavailable service. A credit says whether it can be there: `not_credited` means
 * that it is not and never will be, `outcome_unknown` that only a repetition with the same
 * `Idempotency-Key` is safe.
 */
const UNAVAILABLE_CODES: ReadonlySet<FailureCode> = new Set([
  "service_unavailable",
  "not_credited",
  "outcome_unknown",
]);

/**
 * Returns the header that leads from an error of the API to its page. The reference is relative, and
 * so holds under whatever address the caller used.
 */
export function getHelpHeader(code: FailureCode): Record<string, string> {
  return isApiErrorCode(code) ? { Link: `</docs/errors/${code}>; rel="help"` } : {};
}

/** The limits whose refusal a failure is. */
const REFUSING_LIMITS: Partial<Record<FailureCode, CallLimitName>> = {
  rate_limit_exceeded: "trigger",
  too_many_requests: "public",
};

/** Checks whether a stored code is still a failure code. */
export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(ANSWERS, code);
}

/** Returns the documented status and message of a failure. */
export function describeFailure({ code, details }: Failure): { status: number; message: string } {
  const [ownStatus, message] = ANSWERS[code];
  const status = details.item === undefined ? ownStatus : 409;
  return { status, message: message.replace("{name}", () => details.name ?? "") };
}

/**
 * Returns the headers of a failure's answer. No failure closes the connection, not even after a
 * body that is too large: closing while the caller still sends resets the connection, which can
 * take the answer away from the caller. The server reads on for half a second at most: after the answer
 * where the connection is kept, and otherwise before it.
 */
export function getFailureHeaders({ code, details }: Failure): Record<string, string> {
  // The time of one item is not that of an atomic call, which needs room for all of its items.
  if (details.item !== undefined) return {};
  const retryAfterSeconds =
    details.retryAfterSeconds ??
    (UNAVAILABLE_CODES.has(code) ? UNAVAILABLE_RETRY_AFTER_SECONDS : undefined);
  const limit = REFUSING_LIMITS[code];
  return {
    ...(details.allow !== undefined && { Allow: details.allow }),
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(limit !== undefined &&
      details.retryAfterSeconds !== undefined &&
      getRateLimitHeaders(limit, { callsLeft: 0, seconds: details.retryAfterSeconds })),
  };
}
