import { type Connection, type ConnectionTransaction, withOwnConnection } from "../../../db/client";
import type { AllocationStatus } from "../../../domain/rewards/reward";
import { checkTrees } from "./check";
import {
  type AllocationKey,
  type Build,
  failBuild,
  findBuild,
  lockBuild,
  moveOn,
  type Refusal,
} from "./order";
import { takeSnapshot } from "./snapshot";
import { buildRoots } from "./trees";

type Step = (tx: ConnectionTransaction, build: Build) => Promise<Refusal>;

const STEPS: Partial<Record<AllocationStatus, Step>> = {
  allocating: takeSnapshot,
  building: buildRoots,
  checking: checkTrees,
};

/**
 * Does the steps of a build one after the other, each a transaction that ends in the next status, so
 * that it may end anywhere and be begun again. Two at once do no step twice.
 * @param onStep is told before each step; what it throws ends the build there
 * @returns false when somebody else is at it: then it is not known how it ends
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
      else if (!(await takeStep($client, build))) return false;
    }
  });
}

/** @returns false when somebody else is at it */
async function takeStep(connection: Connection, build: Build): Promise<boolean> {
  let refusal: Refusal = null;
  let isMine = false;
  try {
    await connection.begin(async (tx) => {
      isMine = await lockBuild(tx, build);
      if (!isMine) return;
      refusal = (await STEPS[build.status]?.(tx, build)) ?? null;
      if (refusal !== null) throw new Error(refusal); // undoes what it has written so far
    });
  } catch (error) {
    if (refusal === null) throw error;
    await failBuild(connection, build, refusal);
  }
  return isMine;
}
