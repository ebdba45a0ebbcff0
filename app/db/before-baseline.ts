// The history that drizzle/migrations/0000_baseline.sql replaces. A database that has all of it, made by commit
// c493280, has the baseline's schema.

/** The hashes of its migrations, in their order. */
export const MIGRATIONS_BEFORE_BASELINE: readonly string[] = [
  "097e21f414676113576f758d35f857da28fb7726903b702bca64472beee3635b",
  "3ce1bf10348030a2dcd6a54e750b964536cf27646989e5f9c3944c95d3968b7d",
  "3b3e079f78226742f83d00e0072e3739cfea8a5f34c9e683ea4d57b98af1df41",
  "6406461d1f0e249a4adbb76d7c86d7b51b4d643ed6bed459758821d4a3842225",
  "0fd536d8a88abaf7f9648869135cd2aa295f4e792a189942485bb9c8a80b1f42",
  "f82951848636397c08ff9fcba0eaa6047b282b0656c201e445d7ab264fd4ed8f",
  "58f7600702ec097639b16faba569aaa2901a0dc52a5b938a8af5fa176b2a4a64",
  "78367a344d25386c98e393def4ca2fdb3703ca7ccca78c32a1ceb5896452e396",
  "7f663dad093f1d16be9ebc89cd95953e4efe0c73b13ef0393a30385ebf7ff290",
  "a027b3747f1d81d2d8329f72955402670a4aca2366c33c4a9d25f1a5395b5dd9",
  "94211624d7a5db5f7eb3a8be5e0013d04f9ec1e4fcfba2edfaa6695883d17a38",
  "208ae213fea9a299d44011513e51b543223e639ec465bb28741679441614e777",
  "d22167b986a59b5c646b29cd292b646e06d1baabe4eea5f76f18c614a4c86b0b",
  "d2f0cfe85117ff40bd089f84f94dd7ce6affd2b5b6f17907ad0ed0ee1e37a4b0",
  "b2f2f7abd44ebfd19121f4b218d8d337da20a6b7e513f05f1164175d7eeff6d7",
];

/** The functions that it leaves: those without a file in app/db/functions are dropped. */
export const FUNCTIONS_BEFORE_BASELINE: readonly string[] = [
  "board_key",
  "change_rank_counts",
  "credit_points",
  "find_board_start",
  "fold_ranks",
  "last_key_of_band",
  "list_board_page",
  "list_standings",
  "lock_ledger",
  "points_band",
  "points_band_bits",
  "rank_levels",
  "rank_on_board",
  "rank_tail",
  "rebuild_ranks",
  "refuse_audit_log_change",
  "refuse_point_event_change",
  "refuse_score_change",
  "remove_rank_counts",
  "sum_bands",
];
