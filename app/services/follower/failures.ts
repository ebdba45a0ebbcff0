import type { ChainProblem } from "../../chain/rpc/problem";
import { processState } from "../../process/state";

// Counts the calls to a chain that failed because of an endpoint, in this process since its start;
// a scraper adds the counters up.

/** The number of failures of one kind by a chain's endpoints. */
export interface LookFailures {
  readonly chainId: number;
  readonly problem: ChainProblem;
  readonly count: number;
}

const failures = processState("failures of looks", () => new Map<string, LookFailures>());

/** Counts a call that failed because of an endpoint. */
export function countLookFailure(chainId: number, problem: ChainProblem): void {
  const key = `${chainId} ${problem}`;
  const count = (failures.get(key)?.count ?? 0) + 1;
  failures.set(key, { chainId, problem, count });
}

/** Lists the counters. */
export function listLookFailures(): LookFailures[] {
  return [...failures.values()];
}
