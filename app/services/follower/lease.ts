import { and, eq, sql } from "drizzle-orm";
import type { PublicClient } from "viem";
import { type Executor, withDatabase } from "../../db/client";
import { chainFollowers } from "../../db/schema/chain-follower";

/** The time after which another process follows the chain, unless its leader wrote anything. */
const LEASE_SECONDS = 10;
/** A leader that waits for an endpoint renews its lease before a call, at most this often. */
const RENEW_EVERY_MS = 3_000;

const leaseUntil = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;

/** A leader's right to write what it reads of a chain. */
export interface Lease {
  readonly chainId: number;
  readonly epoch: number;
}

/**
 * Takes a chain's lease for one look. It is free to its holder between two looks, to anyone once it
 * has ended, and to a caller for whom somebody waits while no look is under way.
 * @returns null while another look is under way or another process leads
 */
export async function takeLease(
  chainId: number,
  name: string,
  isAwaited: boolean,
): Promise<Lease | null> {
  const { leader, leaseUntil: until, isLooking, epoch } = chainFollowers;
  const hasEnded = sql`coalesce(${until} < now(), true)`;
  const stays = sql`(${leader} = ${name} and not ${isLooking})`;
  const [row] = await withDatabase((db) =>
    db
      .update(chainFollowers)
      .set({
        epoch: sql`${epoch} + case when ${stays} then 0 else 1 end`,
        ledSince: sql`case when ${stays} then ${chainFollowers.ledSince} else now() end`,
        leader: name,
        isLooking: true,
        leaseUntil,
      })
      .where(
        and(
          eq(chainFollowers.chainId, chainId),
          sql`(${hasEnded} or not ${isLooking} and (${leader} = ${name} or ${isAwaited}))`,
        ),
      )
      .returning({ epoch }),
  );
  return row ? { chainId, epoch: row.epoch } : null;
}

/** The error of a write without the lease. */
export class FencedError extends Error {
  override readonly name = "FencedError";

  constructor() {
    super("Another process follows the chain");
  }
}

type Changes = Parameters<ReturnType<typeof update>["set"]>[0];
const update = (executor: Executor) => executor.update(chainFollowers);

/**
 * Changes the chain's row, renews the lease, and locks the row until the transaction ends.
 * @throws {FencedError} when the lease is lost
 */
export async function writeAsLeader(executor: Executor, lease: Lease, changes: Changes = {}) {
  const [row] = await update(executor)
    .set({ leaseUntil, ...changes })
    .where(and(eq(chainFollowers.chainId, lease.chainId), eq(chainFollowers.epoch, lease.epoch)))
    .returning();
  if (!row) throw new FencedError();
  return row;
}

/** Ends a look. The leader keeps the lease unless it gives it up. */
export async function endLook({ chainId, epoch }: Lease, givesUp: boolean): Promise<void> {
  await withDatabase((db) =>
    update(db)
      .set({ isLooking: false, ...(givesUp && { leaseUntil: sql`now() - interval '1 second'` }) })
      .where(and(eq(chainFollowers.chainId, chainId), eq(chainFollowers.epoch, epoch))),
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
