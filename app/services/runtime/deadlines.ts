/** PostgreSQL gives up a statement after this long. */
export const STATEMENT_TIMEOUT_MS = 4_000;

/** A caller has an answer by then, also when the database is stuck: the documented 5 s, less slack. */
export const DATABASE_DEADLINE_MS = 4_500;
