import { Failure } from "../domain/failure";
import { processState } from "../process/state";

/** The most uploads that a process takes at once: each holds its file and the rows read from it. */
const UPLOADS_MAX = 8;
/** The most uploads of one account, with all its keys: others keep places. */
const UPLOADS_PER_ACCOUNT_MAX = 2;
const RETRY_AFTER_SECONDS = 10;

const state = processState("uploads", () => ({ accounts: new Map<string, number>(), all: 0 }));

/**
 * Takes a place for an upload, from the first byte to its answer.
 * @param account the operator who sends it, in the dashboard or by an API key
 * @returns gives the place back
 * @throws {Failure} `too_many_uploads`
 */
export function takeUploadPlace(account: string): () => void {
  const own = state.accounts.get(account) ?? 0;
  if (state.all >= UPLOADS_MAX || own >= UPLOADS_PER_ACCOUNT_MAX) {
    throw new Failure("too_many_uploads", { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  state.all += 1;
  state.accounts.set(account, own + 1);
  return () => {
    state.all -= 1;
    const left = (state.accounts.get(account) ?? 1) - 1;
    if (left > 0) state.accounts.set(account, left);
    else state.accounts.delete(account);
  };
}
