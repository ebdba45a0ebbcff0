import { sql } from "drizzle-orm";
import { withDatabase } from "../db/client";
import { scoreWallets } from "../db/schema/scores";
import type { Address } from "../domain/address";
import { Failure } from "../domain/failure";
import { getScore } from "./scores";

const BATCH_WALLETS = 50;
const ASKED_WITHIN_DAYS = 30;
/** A wallet that was taken and not done, since the process died, is taken again after this. */
const TAKEN_FOR_MINUTES = 30;
/** Wallets at once: their providers' limits are what holds them back. */
const AT_ONCE = 5;

/**
 * Computes the scores anew that somebody asked for in the last 30 days and that are a day old. Any
 * number of processes may do so at once: each takes other wallets, and what one leaves undone is
 * taken up again.
 * @param options.until no wallet is begun after this
 * @param options.limit the most wallets
 * @returns whether more are due
 */
export async function refreshDueScores({
  until = null,
  limit = BATCH_WALLETS,
}: {
  readonly until?: Date | null;
  readonly limit?: number;
} = {}): Promise<boolean> {
  let left = limit;
  while (left > 0 && !isOver(until)) {
    const wanted = Math.min(BATCH_WALLETS, left);
    const taken = await takeDueWallets(wanted);
    left -= taken.length;
    await refreshAll(taken, until);
    if (taken.length < wanted) return false;
  }
  return true;
}

function isOver(until: Date | null): boolean {
  return until !== null && Date.now() >= until.getTime();
}

async function takeDueWallets(limit: number): Promise<Address[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ address: Address }>(sql`
      update ${scoreWallets} set
        refresh_at = now() + make_interval(mins => ${TAKEN_FOR_MINUTES})
      where address in (
        select address from ${scoreWallets}
        where refresh_at <= now()
          and asked_at > now() - make_interval(days => ${ASKED_WITHIN_DAYS})
        order by refresh_at limit ${limit}
        for update skip locked
      )
      returning '0x' || encode(address, 'hex') as address`),
  );
  return rows.map(({ address }) => address);
}

async function refreshAll(addresses: readonly Address[], until: Date | null): Promise<void> {
  const waiting = [...addresses];
  const work = async () => {
    for (let address = waiting.shift(); address; address = waiting.shift()) {
      if (isOver(until)) return;
      await refresh(address);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** One wallet that nobody can find out about today keeps the others from nothing. */
async function refresh(address: Address): Promise<void> {
  try {
    await getScore(address, "refresh");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "service_unavailable") throw error;
  }
}
