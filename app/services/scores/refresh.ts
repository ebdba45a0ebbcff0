import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { getScore } from "./scores";
import {
  findNextDueMs,
  giveWalletsBack,
  setAsideUnasked,
  settleWallet,
  takeDueWallets,
} from "./wallets";

const BATCH_WALLETS = 50;
/** Wallets at once: their providers' limits are what holds them back. */
const AT_ONCE = 5;
/** How often it looks whether another process has done the wallets that it took. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Computes the scores anew that somebody asked for in the last 30 days and nobody computed today, as
 * a queued job. It may end anywhere and be done again, in any number of processes at once: each takes
 * other wallets, and this is not over before all of them are done.
 * @throws when it is ended by `signal` before that
 */
export async function refreshScores(signal: AbortSignal): Promise<void> {
  while (await setAsideUnasked()) signal.throwIfAborted();
  for (;;) {
    signal.throwIfAborted();
    const taken = await takeDueWallets(BATCH_WALLETS);
    if (taken.length > 0) {
      await refreshAll(taken, signal);
      continue;
    }
    const waitMs = await findNextDueMs();
    if (waitMs === null) return;
    await sleep(Math.min(waitMs, LOOK_AGAIN_MS), undefined, { signal });
  }
}

async function refreshAll(addresses: readonly Address[], signal: AbortSignal): Promise<void> {
  const waiting = [...addresses];
  const work = async () => {
    while (!signal.aborted) {
      const address = waiting.shift();
      if (!address) return;
      await refresh(address);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await giveWalletsBack(waiting.splice(0));
  }
}

/** One wallet that nobody can find out about today keeps the others from nothing. */
async function refresh(address: Address): Promise<void> {
  try {
    await getScore(address, "refresh");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "service_unavailable") throw error;
  }
  await settleWallet(address);
}
