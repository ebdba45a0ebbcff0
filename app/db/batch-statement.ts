import type postgres from "postgres";

/**
 * The options of a statement that a batcher runs: it is prepared, and written at once. The driver gathers statements
 * until the event loop has seen every socket, but a batch has waited for that already.
 */
export const BATCH_STATEMENT: postgres.UnsafeQueryOptions = Object.freeze({
  prepare: true,
  flush: true, // by this project's patch
});
