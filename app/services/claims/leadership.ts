import { randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { type Transaction, withDatabase } from "../../db/client";
import { claimIndexers } from "../../db/schema/claim-indexer";
import { openSessionLocks } from "../../db/session-locks";
import { type ChainContract, isContract } from "./store";

/** Who leads a contract's indexer, among all processes. */
export interface Leadership {
  /** The epoch in which this process leads; null while another one does. */
  readonly lead: (of: ChainContract) => Promise<number | null>;
  /** A sign of life in the middle of something long. False when another process leads since. */
  readonly stay: (of: ChainContract, epoch: number) => Promise<boolean>;
  /** Lets another process lead. */
  readonly close: () => Promise<void>;
}

/** A leader that has shown no sign of life for so long is followed by another, whatever it holds. */
const LEADS_ON_SECONDS = 15;

/**
 * Makes this process one of those that may lead. The lock finds the leader, and frees its place at once
 * when its process dies. It proves nothing: a process that was paused still has it, and one whose
 * connection broke does not know. So each write names the epoch, and is refused to whoever led before.
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

/** Whether a write was refused since another process leads. */
export function isFenced(error: unknown): boolean {
  return error instanceof Error && error.name === FENCED;
}

const FENCED = "FencedError";

/** Another process leads since. What this one was about to write is nothing any more. */
function createFencedError(): Error {
  return Object.assign(new Error("Another process leads the claim indexer"), {
    name: FENCED,
  });
}

/**
 * Holds the contract's row, as its leader of an epoch, to the transaction's end.
 * @throws {Error} `FencedError` when that epoch is over
 */
export async function holdAsLeader(tx: Transaction, of: ChainContract, epoch: number) {
  const [row] = await tx
    .select()
    .from(claimIndexers)
    .where(and(isContract(of), eq(claimIndexers.epoch, epoch)))
    .for("no key update");
  if (!row) throw createFencedError();
  return row;
}
