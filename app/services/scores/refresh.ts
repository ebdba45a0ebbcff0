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
/** Wallets that are refreshed at once; the providers' limits bound their speed. */
const AT_ONCE = 5;
/**
 * The interval at which it checks whether another process has finished the wallets that it took.
 */
const LOOK_AGAIN_MS = 1_000;

/**
 * Refreshes the scores that were requested in the last 30 days and not computed today, as a queued
 * job. It may stop at any point and be repeated, in several processes at once. Each process takes
 * other wallets, and the job ends when all of them are done.
 * @throws {Error} when `signal` aborts before that
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

/** Refreshes one wallet. A failure for this wallet does not stop the others. */
async function refresh(address: Address): Promise<void> {
  try {
    await getScore(address, "refresh", async () => "refresh");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "service_unavailable") throw error;
  }
  await settleWallet(address);
}
