import { randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { claimIndexers } from "../../db/schema/claim-indexer";
import { openSessionLocks } from "../../db/session-locks";
import { type ChainContract, isContract } from "./store";

/** The leadership of the contracts' indexers among all processes. */
export interface Leadership {
  /** The epoch in which this process leads; null while another one does. */
  readonly lead: (of: ChainContract) => Promise<number | null>;
  /** Sends a heartbeat during long work. False when another process leads now. */
  readonly stay: (of: ChainContract, epoch: number) => Promise<boolean>;
  /** Releases the leadership. */
  readonly close: () => Promise<void>;
}

/** The time after which a leader without a heartbeat is replaced, whatever lock it holds. */
const LEADS_ON_SECONDS = 15;

/**
 * Makes this process a candidate for the leadership. A session lock elects the leader, and is free
 * at once when the leader's process dies. The lock alone proves nothing: a paused process still
 * holds it, and a process whose connection broke does not know. So each write names its epoch, and
 * a write of an earlier leader is refused.
 */
export function createLeadership(): Leadership {
  const name = randomBytes(4).toString("hex");
  const locks = openSessionLocks();
  const epochs = new Map<number, number>();

  async function stay(of: ChainContract, epoch: number): Promise<boolean> {
    const rows = await withDatabase((db) =>
      db
        .update(claimIndexers)
        .set({ aliveAt: sql`now()` })
        .where(and(isContract(of), eq(claimIndexers.epoch, epoch)))
        .returning({ epoch: claimIndexers.epoch }),
    );
    return rows.length > 0;
  }

  async function follow(of: ChainContract, hasLock: boolean): Promise<number | null> {
    const isVacant = sql`(${hasLock} or ${claimIndexers.aliveAt} is null
      or ${claimIndexers.aliveAt} < now() - make_interval(secs => ${LEADS_ON_SECONDS}))`;
    const [row] = await withDatabase((db) =>
      db
        .update(claimIndexers)
        .set({
          epoch: sql`${claimIndexers.epoch} + 1`,
          leader: name,
          ledSince: sql`now()`,
          aliveAt: sql`now()`,
        })
        .where(and(isContract(of), isVacant))
        .returning({ epoch: claimIndexers.epoch }),
    );
    return row?.epoch ?? null;
  }

  return {
    async lead(of) {
      const hasLock = await locks.hold(of.chainId);
      const epoch = epochs.get(of.chainId);
      if (epoch !== undefined && (await stay(of, epoch))) return epoch;
      epochs.delete(of.chainId);
      const next = await follow(of, hasLock);
      if (next !== null) epochs.set(of.chainId, next);
      return next;
    },
    stay,
    close: locks.close,
  };
}

/** The error of a write by an earlier leader. */
export class FencedError extends Error {
  override readonly name = "FencedError";

  constructor() {
    super("Another process leads the claim indexer");
  }
}

/**
 * Locks the contract's row until the transaction ends, for the leader of an epoch.
 * @throws {FencedError} when that epoch is over
 */
export async function holdAsLeader(tx: Transaction, of: ChainContract, epoch: number) {
  const [row] = await tx
    .select()
    .from(claimIndexers)
    .where(and(isContract(of), eq(claimIndexers.epoch, epoch)))
    .for("no key update");
  if (!row) throw new FencedError();
  return row;
}
