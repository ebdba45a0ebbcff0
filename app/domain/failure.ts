/**
 * Every way in which a request can fail that is not a bug. `app/http/failures.ts` gives each its
 * status and exact message; a code without an answer there does not compile.
 */
export type FailureCode =
  | "method_not_allowed"
  | "not_found"
  | "missing_api_key"
  | "invalid_api_key_format"
  | "invalid_api_key"
  | "read_permission_missing"
  | "trigger_permission_missing"
  | "manage_permission_missing"
  | "manage_key_needs_owner"
  | "manage_key_refused"
  | "point_system_out_of_scope"
  | "unsupported_content_type"
  | "body_too_large"
  | "invalid_request"
  | "invalid_json"
  | "missing_fields"
  | "invalid_wallet_address"
  | "invalid_idempotency_key"
  | "duplicate_parameter"
  | "missing_parameter"
  | "invalid_address"
  | "invalid_page"
  | "invalid_limit"
  | "invalid_include"
  | "invalid_board"
  | "board_not_found"
  | "trigger_not_found"
  | "trigger_inactive"
  | "wallet_blacklisted"
  | "points_limit_reached"
  | "idempotency_key_reused"
  | "rate_limit_exceeded"
  | "trigger_cap_reached"
  | "wallet_not_found"
  | "invalid_point_system_id"
  | "missing_proof_parameters"
  | "invalid_proof_parameters"
  | "airdrop_not_found"
  | "address_not_eligible"
  | "proof_not_built"
  | "too_many_requests"
  | "event_voided"
  | "form_already_sent"
  | "invalid_address_or_ens"
  | "ens_not_configured"
  | "ens_unavailable"
  | "chain_not_configured"
  | "chain_unavailable"
  | "contract_absent"
  | "contract_different"
  | "campaign_not_built"
  | "campaign_on_chain"
  | "transaction_unknown"
  | "transaction_reverted"
  | "transaction_unsuitable"
  | "invalid_hint"
  | "role_missing"
  | "invalid_form"
  | "invalid_field"
  | "slug_taken"
  | "sandbox_mixed"
  | "sandbox_not_public"
  | "sandbox_needs_testnet"
  | "sandbox_needed"
  | "trigger_key_taken"
  | "board_taken"
  | "too_many_boards"
  | "board_archived"
  | "board_begun"
  | "board_ended"
  | "too_many_triggers"
  | "too_many_notes"
  | "wallet_prefix_unknown"
  | "wallet_prefix_ambiguous"
  | "api_key_exists"
  | "too_many_api_keys"
  | "webhook_exists"
  | "webhook_off"
  | "webhook_moved_on"
  | "webhook_replay_too_long"
  | "too_many_webhooks"
  | "confirmation_wrong"
  | "sign_in_refused"
  | "too_many_sign_ins"
  | "set_up_link_invalid"
  | "set_up_closed"
  | "set_up_needed"
  | "import_moved_on"
  | "import_changed"
  | "import_archived"
  | "import_unreadable"
  | "import_nothing"
  | "import_empty"
  | "import_not_utf8"
  | "import_too_large"
  | "import_too_many_rows"
  | "import_too_many_drafts"
  | "too_many_uploads"
  | "allocation_under_way"
  | "too_many_sign_ups"
  | "password_wrong"
  | "password_needed"
  | "password_common"
  | "password_names"
  | "email_unusable"
  | "link_invalid"
  | "too_many_links"
  | "member_already"
  | "members_limit_reached"
  | "owner_stays"
  | "administrator_needed"
  | "account_disabled"
  | "own_account"
  | "code_wrong"
  | "too_many_codes"
  | "sign_in_expired"
  | "authenticator_exists"
  | "passkey_refused"
  | "passkeys_need_name"
  | "too_many_passkeys"
  | "heir_needed"
  | "heir_unknown"
  | "token_decimals_wrong"
  | "campaign_moved_on"
  | "campaign_changed"
  | "campaign_not_split"
  | "payouts_refused"
  | "campaign_no_wallets"
  | "campaign_split_running"
  | "points_board_open"
  | "points_campaign_unknown"
  | "too_many_campaign_drafts"
  | "token_unreadable"
  | "token_details_missing"
  | "token_amount_invalid"
  | "token_amount_too_large"
  | "deadline_passed"
  | "gift_card_reward_moved_on"
  | "gift_card_reward_busy"
  | "gift_card_tier_in_use"
  | "gift_cards_limit_reached"
  | "gift_card_codes_missing"
  | "gift_card_codes_too_many"
  | "gift_card_keys_missing"
  | "gift_cards_short"
  | "gift_cards_nobody_eligible"
  | "gift_card_unavailable"
  | "too_many_reveals"
  | "wallet_signature_refused"
  | "logo_too_large"
  | "logo_unknown"
  | "logo_too_many_pixels"
  | "malformed_request"
  | "request_timeout"
  | "headers_too_large"
  | "expectation_failed"
  | "unsupported_content_encoding"
  | "missing_address"
  | "score_missing"
  | "score_unavailable"
  | "internal_error"
  | "service_unavailable"
  | "not_credited"
  | "outcome_unknown"
  | "invalid_points"
  | "invalid_items"
  | "invalid_metadata"
  | "invalid_occurred_at";

/** The details that a failure's answer needs beside its code. */
export interface FailureDetails {
  /** The parameter that the message names. */
  name?: string;
  /** Whole seconds after which the same call can succeed. */
  retryAfterSeconds?: number;
  /** The methods that the path takes, for a 405. */
  allow?: string;
  /**
   * The place of the item, from 0 on, for which a call is refused as a whole: the status is 409.
   */
  item?: number;
  /** The form field that the text belongs to. */
  field?: string;
  /** The error that led to it: for the log, never for the answer. */
  cause?: unknown;
}

/** An expected failure, thrown where its rule stands. Every other error is a bug. */
export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly code: FailureCode,
    readonly details: FailureDetails = {},
  ) {
    // A refusal is an answer, not a bug. Its stack trace has no use, and costs more than most
    // refusals do.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code, { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
  }
}
