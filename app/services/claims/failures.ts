import type { ChainProblem } from "../../chain/rpc/problem";

// Looks at a chain that an endpoint let fail, in this process, since it began: a counter that a scraper
// adds up. On globalThis, since the two entries of the server build each have a copy of this module.

const holder = globalThis as typeof globalThis & {
  pointsClaimFailures?: Map<string, LookFailures> | undefined;
};

/** How often endpoints of a chain failed in one way. */
export interface LookFailures {
  readonly chainId: number;
  readonly problem: ChainProblem;
  readonly count: number;
}

/** Counts a look that an endpoint let fail. */
export function countLookFailure(chainId: number, problem: ChainProblem): void {
  holder.pointsClaimFailures ??= new Map();
  const key = `${chainId} ${problem}`;
  const count = (holder.pointsClaimFailures.get(key)?.count ?? 0) + 1;
  holder.pointsClaimFailures.set(key, { chainId, problem, count });
}

/** What was counted. */
export function listLookFailures(): LookFailures[] {
  return [...(holder.pointsClaimFailures?.values() ?? [])];
}
