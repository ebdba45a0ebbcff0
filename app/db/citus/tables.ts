// The two kinds of tables on Citus (docs/decisions/088). Every other table stays on the coordinator, as it is.

/** Small tables that every node has whole: the functions on the shards read them. */
export const REFERENCE_TABLES = [
  "operators",
  "point_systems",
  "api_keys",
  "api_key_point_systems",
  "triggers",
  "boards",
  "boosts",
  "tiers",
  "imports",
] as const;

/** The ledger, and what is counted from it: all rows of a point system are on one node. */
export const DISTRIBUTED_TABLES = [
  "point_system_totals",
  "wallets",
  "point_events",
  "blacklist",
  "rank_counts",
  "rank_cursors",
  "rank_moves",
  "idempotency_records",
  "idempotency_records_before",
  "withdrawn_credits",
  "opening_balances",
  "spends",
  "wallet_spending",
  "wallet_links",
  "activity_marks",
  "statistics_cursors",
  "daily_totals",
  "daily_trigger_totals",
  "weekly_wallets",
  "wallet_weeks",
  "season_totals",
  "trigger_cap_counts",
  "tier_cursors",
  "streaks",
  "streak_days",
  "streak_bonuses",
  "boost_wallets",
  "board_windows",
  "board_days",
  "webhook_endpoints",
  "webhook_deliveries",
  "credit_traces",
  "import_rows",
] as const;

/** The first of the distributed tables on each shard: one row for each shard, which names it in statements. */
export const ANCHORS = "shard_anchors";

/**
 * Tables whose rows take the next position of the ledger when they are written without one. The last one has the
 * sequence that the first ones draw from on plain PostgreSQL.
 */
export const SEQUENCED_TABLES = [
  "rank_moves",
  "spends",
  "webhook_deliveries",
  "point_events",
] as const;

/** Tables without a key of their own: moves of shards copy whole rows. */
export const KEYLESS_TABLES = ["idempotency_records", "idempotency_records_before"] as const;

/**
 * Functions that stay on the coordinator: they follow chains, which belong to no point system, read shares or gift cards,
 * which are there, or are called on plain PostgreSQL alone.
 */
export const COORDINATOR_FUNCTIONS = new Set([
  "end_overdue_airdrops",
  "find_known_codes",
  "find_shares",
  "find_wallet_shares",
  "judge_creation",
  "list_bucket_leaves",
  "replace_chain_logs",
  "say_airdrop",
  "say_claims",
  "settle_airdrop",
  "settle_claims",
  "turn_idempotency_records",
  "undo_airdrop",
]);
