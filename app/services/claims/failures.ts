import type { ChainProblem } from "../../chain/rpc/problem";

// Counts the calls to a chain that failed because of an endpoint, in this process since its start;
// a scraper adds the counters up. The state is on globalThis, because each of the two entries of
// the server build has its own copy of this module.

const holder = globalThis as typeof globalThis & {
  pointsClaimFailures?: Map<string, LookFailures> | undefined;
};

/** The number of failures of one kind by a chain's endpoints. */
export interface LookFailures {
  readonly chainId: number;
  readonly problem: ChainProblem;
  readonly count: number;
}

/** Counts a call that failed because of an endpoint. */
export function countLookFailure(chainId: number, problem: ChainProblem): void {
  holder.pointsClaimFailures ??= new Map();
  const key = `${chainId} ${problem}`;
  const count = (holder.pointsClaimFailures.get(key)?.count ?? 0) + 1;
  holder.pointsClaimFailures.set(key, { chainId, problem, count });
}

/** Lists the counters. */
export function listLookFailures(): LookFailures[] {
  return [...(holder.pointsClaimFailures?.values() ?? [])];
}
