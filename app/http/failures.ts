import type { Failure, FailureCode } from "../domain/failure";

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
  point_system_out_of_scope: [
    403,
    "This API key does not have access to the specified point system",
  ],
  unsupported_content_type: [415, "Content-Type must be application/json"],
  body_too_large: [413, "Request body too large"],
  invalid_request: [400, "Invalid path or Host header"],
  invalid_json: [400, "Invalid JSON body"],
  missing_fields: [400, "Missing required fields: triggerKey, walletAddress, pointSystemId"],
  invalid_wallet_address: [400, "Invalid wallet address"],
  invalid_points: [400, "Invalid points"],
  invalid_items: [400, "Invalid items"],
  invalid_metadata: [400, "Invalid metadata"],
  invalid_occurred_at: [400, "Invalid occurredAt"],
  invalid_idempotency_key: [400, "Invalid Idempotency-Key"],
  duplicate_parameter: [400, "Duplicate parameter: {name}"],
  missing_parameter: [400, "Missing required parameter: {name}"],
  invalid_address: [400, "Invalid address"],
  invalid_page: [400, "Invalid page"],
  invalid_limit: [400, "Invalid limit"],
  invalid_include: [400, "Invalid include"],
  trigger_not_found: [404, "Trigger not found"],
  trigger_inactive: [403, "Trigger is inactive"],
  wallet_blacklisted: [403, "Wallet is blacklisted"],
  points_limit_reached: [400, "Points limit reached"],
  idempotency_key_reused: [409, "Idempotency-Key already used with another request"],
  rate_limit_exceeded: [429, "Rate limit exceeded"],
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
  form_already_sent: [
    409,
    "This form was already sent with other values. Reload the page to send another",
  ],
  ens_not_configured: [400, "ENS names are not available here. Enter an address"],
  chain_not_configured: [400, "This chain is not set up here. Set {name} to its JSON-RPC endpoint"],
  chain_unavailable: [503, "The chain's endpoint does not answer"],
  campaign_not_built: [409, "The split of this campaign is not built yet"],
  campaign_on_chain: [409, "The airdrop is already on chain. Continue there"],
  transaction_unknown: [409, "This transaction is not in a block yet"],
  transaction_reverted: [409, "This transaction failed on chain and changed nothing"],
  transaction_unsuitable: [409, "This transaction does not match this campaign: {name}"],
  invalid_hint: [400, "Invalid chainId or txHash"],
  role_missing: [403, "Your role in this point system does not allow this"],
  invalid_form: [400, "Unknown form"],
  slug_taken: [409, "Another point system uses this slug"],
  trigger_key_taken: [409, "The trigger “{name}” already uses this key"],
  too_many_triggers: [409, "This point system has reached its limit of triggers"],
  api_key_exists: [409, "This key was already created and cannot be shown again"],
  too_many_api_keys: [409, "You have reached the limit of API keys"],
  confirmation_wrong: [400, "The text does not match"],
  sign_in_refused: [401, "Wrong email address or password"],
  too_many_sign_ins: [429, "Too many sign-in attempts"],
  set_up_link_invalid: [403, "This set-up link is invalid or expired"],
  set_up_closed: [403, "This service already has an operator"],
  import_moved_on: [409, "This import has changed. Check it again"],
  import_changed: [409, "The credits of this import have changed. Check it again"],
  import_unreadable: [400, "This file cannot be read to its end"],
  import_nothing: [400, "This import has no rows to credit"],
  import_empty: [400, "The file has no rows. Choose one with a row for each wallet"],
  import_not_utf8: [400, "The file is not UTF-8 text. Save it as CSV UTF-8 and upload it again"],
  import_too_large: [413, "The file is larger than 10 MiB. Split it into several files"],
  import_too_many_rows: [400, "The file has more than 250,000 rows. Split it into several imports"],
  import_too_many_drafts: [409, "There are 20 drafts already. Commit or discard one of them first"],
  allocation_under_way: [409, "This reward is already being split"],
  too_many_sign_ups: [429, "Too many sign-up attempts"],
  password_wrong: [401, "Wrong password"],
  email_unusable: [409, "This email address cannot be used"],
  link_invalid: [403, "This link is invalid or expired"],
  too_many_links: [409, "There are too many open links. Revoke one first"],
  member_already: [409, "You are already a member of this point system"],
  members_limit_reached: [409, "This point system has reached its limit of members"],
  owner_stays: [409, "The owner cannot leave. Transfer ownership first"],
  administrator_needed: [409, "At least one administrator is needed"],
  token_decimals_wrong: [
    409,
    "The token has {name} decimals, unlike the published campaign. Cancel it and draft it again",
  ],
  campaign_moved_on: [409, "This campaign has changed. Check it again"],
  campaign_changed: [409, "The campaign's terms have changed. Check them again"],
  campaign_not_split: [409, "This campaign is not split yet"],
  campaign_no_wallets: [409, "No wallet is eligible right now"],
  campaign_split_running: [409, "A split of this campaign is already running"],
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
 * take the answer away from the caller. The adapter reads on for half a second and closes then.
 */
export function getFailureHeaders({ code, details }: Failure): Record<string, string> {
  const retryAfterSeconds =
    details.retryAfterSeconds ??
    (UNAVAILABLE_CODES.has(code) ? UNAVAILABLE_RETRY_AFTER_SECONDS : undefined);
  return {
    ...(details.allow !== undefined && { Allow: details.allow }),
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
  };
}
