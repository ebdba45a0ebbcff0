import { listConfiguredChainIds } from "../chain/rpc/chains";
import { createChainFollower } from "../services/follower/follower";
import { type Job, startWorker, type Worker } from "./worker";

/** The time between two checks whether a chain is due. */
const ASK_EVERY_MS = 1_000;

/**
 * Follows every chain that has an endpoint, until it is stopped. Another process then takes over at
 * once. Each chain has its own loop, so a chain that hangs delays no other.
 */
export function startFollowing(onFailure: (job: string, error: unknown) => void): Worker {
  const follower = createChainFollower();
  const jobs = listConfiguredChainIds().map(
    (chainId): Job => ({
      name: `follow-chain-${chainId}`,
      restMs: ASK_EVERY_MS,
      run: (_, signal) => follower.look(chainId, signal),
    }),
  );
  return startWorker(jobs, onFailure, () => follower.close());
}
