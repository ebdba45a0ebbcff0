/**
 * Lists the settings that this service relies on, as PostgreSQL's names and values. Each connection
 * starts with them, whatever the role or the database say. The values are strings: postgres.js
 * leaves out a parameter that is `false` or `0`.
 */
export function listConnectionSettings(statementTimeoutMs: number): Record<string, string> {
  return {
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(statementTimeoutMs * 4),
    // An answer means that the change is on disk (docs/decisions/004).
    synchronous_commit: "on",
    // Compiling a plan costs more than any statement here.
    jit: "off",
    // A function sets those that it needs itself.
    lock_timeout: "0",
    // Some connections hold locks while they rest.
    idle_session_timeout: "0",
    default_transaction_isolation: "read committed",
    // The forms in which values are written and read.
    DateStyle: "ISO, MDY",
    bytea_output: "hex",
    extra_float_digits: "1",
    standard_conforming_strings: "on",
    array_nulls: "on",
    // The server reads by index only; a plan made while a table was small must stay good.
    ...(statementTimeoutMs > 0 && { enable_seqscan: "off" }),
  };
}
