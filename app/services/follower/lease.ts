import { and, eq, sql } from "drizzle-orm";
import type { PublicClient } from "viem";
import { type Executor, withDatabase } from "../../db/client";
import { chainFollowers } from "../../db/schema/chain-follower";

/** The time after which another process follows the chain, unless its leader wrote anything. */
const LEASE_SECONDS = 10;
/** A leader that waits for an endpoint renews its lease before a call, at most this often. */
const RENEW_EVERY_MS = 3_000;

const leaseUntil = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
const ended = sql`now() - interval '1 second'`;

/** A leader's right to write what it reads of a chain. */
export interface Lease {
  readonly chainId: number;
  readonly epoch: number;
}

/**
 * Does the work of one look with a chain's lease. The lease is free to its holder between two looks,
 * to anyone once it has ended, and to a caller for whom somebody waits while no look is under way;
 * that caller gives it up afterwards.
 * @returns null while another look is under way or another process leads
 */
export async function withLease<Result>(
  chainId: number,
  name: string,
  isAwaited: boolean,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result | null> {
  const { leader, leaseUntil: until, ledSince, isLooking, epoch } = chainFollowers;
  const stays = sql`(${leader} = ${name} and not ${isLooking})`;
  const isFree = sql`(coalesce(${until} < now(), true)
    or not ${isLooking} and (${leader} = ${name} or ${isAwaited}))`;
  const [row] = await withDatabase((db) =>
    update(db)
      .set({
        epoch: sql`${epoch} + case when ${stays} then 0 else 1 end`,
        ledSince: sql`case when ${stays} then ${ledSince} else now() end`,
        leader: name,
        isLooking: true,
        leaseUntil,
      })
      .where(and(eq(chainFollowers.chainId, chainId), isFree))
      .returning({ epoch }),
  );
  if (!row) return null;
  const lease = { chainId, epoch: row.epoch };
  try {
    return await work(lease);
  } catch (error) {
    // Another process follows the chain now, so this one's writes are refused.
    if (error instanceof FencedError) return null;
    throw error;
  } finally {
    await withDatabase((db) =>
      update(db)
        .set({ isLooking: false, ...(isAwaited && { leaseUntil: ended }) })
        .where(isHeldBy(lease)),
    );
  }
}

class FencedError extends Error {
  override readonly name = "FencedError";
}

type Changes = Parameters<ReturnType<typeof update>["set"]>[0];
const update = (executor: Executor) => executor.update(chainFollowers);
const isHeldBy = ({ chainId, epoch }: Lease) =>
  and(eq(chainFollowers.chainId, chainId), eq(chainFollowers.epoch, epoch));

/**
 * Changes the chain's row, renews the lease, and locks the row until the transaction ends.
 * @throws {Error} when the lease is lost, which ends the look
 */
export async function writeAsLeader(executor: Executor, lease: Lease, changes: Changes = {}) {
  const [row] = await update(executor)
    .set({ leaseUntil, ...changes })
    .where(isHeldBy(lease))
    .returning();
  if (!row) throw new FencedError("Another process follows the chain");
  return row;
}

/** Gives up the leases that a name holds, so that another process continues. */
export async function giveUpLeases(name: string): Promise<void> {
  await withDatabase((db) =>
    update(db).set({ leaseUntil: ended }).where(eq(chainFollowers.leader, name)),
  );
}

/** Returns the client of an endpoint that renews the lease before its calls. */
export function keepLease(client: PublicClient, lease: Lease): PublicClient {
  let renewedAt = performance.now();
  const request = async (call: Parameters<typeof client.request>[0]) => {
    if (performance.now() > renewedAt + RENEW_EVERY_MS) {
      renewedAt = performance.now();
      await withDatabase((db) => writeAsLeader(db, lease));
    }
    return client.request(call);
  };
  return Object.assign(Object.create(client), { request }) as PublicClient;
}
