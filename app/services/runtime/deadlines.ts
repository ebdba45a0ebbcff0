/** The time after which PostgreSQL cancels a statement. */
export const STATEMENT_TIMEOUT_MS = 4_000;

/**
 * The time in which a caller has an answer, even when the database is stuck: the documented 5 s,
 * less slack.
 */
export const DATABASE_DEADLINE_MS = 4_500;
