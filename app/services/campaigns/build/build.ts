import { type Connection, type ConnectionTransaction, withOwnConnection } from "../../../db/client";
import type { AllocationStatus } from "../../../domain/rewards/reward";
import { checkTrees } from "./check";
import {
  type AllocationKey,
  type Build,
  type BuildProblem,
  failBuild,
  findBuild,
  lockBuild,
  moveOn,
} from "./order";
import { takeSnapshot } from "./snapshot";
import { buildRoots } from "./trees";

type Step = (tx: ConnectionTransaction, build: Build) => Promise<BuildProblem>;

const STEPS: Partial<Record<AllocationStatus, Step>> = {
  allocating: takeSnapshot,
  building: buildRoots,
  checking: checkTrees,
};

/**
 * Runs the steps of a build in order. Each step is one transaction that ends with the next status,
 * so the build may stop at any point and resume. Two builds at once never do a step twice.
 * @param onStep called before each step; an error that it throws ends the build there
 * @returns false when another process is building: then the outcome is not known
 */
export async function buildAllocation(
  key: AllocationKey,
  onStep: (status: AllocationStatus) => void = () => {},
): Promise<boolean> {
  return withOwnConnection(async ({ $client }) => {
    for (;;) {
      const build = await findBuild($client, key);
      if (!build || build.status === "built" || build.status === "failed") return true;
      onStep(build.status);
      if (build.status === "queued") await moveOn($client, build, "allocating");
      else if (!(await runStep($client, build))) return false;
    }
  });
}

/**
 * Runs one step of a build in a transaction.
 * @returns false when another process is doing it
 */
async function runStep(connection: Connection, build: Build): Promise<boolean> {
  let refusal: BuildProblem = null;
  let isMine = false;
  try {
    await connection.begin(async (tx) => {
      isMine = await lockBuild(tx, build);
      if (!isMine) return;
      refusal = (await STEPS[build.status]?.(tx, build)) ?? null;
      if (refusal !== null) throw new Error(refusal); // rolls back what the step wrote
    });
  } catch (error) {
    if (refusal === null) throw error;
    await failBuild(connection, build, refusal);
  }
  return isMine;
}
