import { and, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { scoreWallets } from "../../db/schema/scores";
import type { Address } from "../../domain/address";

// The wallets whose score was requested: the process that computes it now, and the time when it is
// due again.

/**
 * The duration of a lease: longer than a computation can take. The lease of a process that died is
 * free after it.
 */
const LEASE_SECONDS = 30;
/**
 * The start of the next daily refresh: midnight in UTC, as in its schedule and for the providers'
 * days.
 */
const NEXT_NIGHT = sql`date_trunc('day', now(), 'UTC') + interval '24 hours'`;

const ASKED_WITHIN_DAYS = 30;
/**
 * The time after which a wallet of a process that died is taken again, or at midnight if that is
 * earlier.
 */
const TAKEN_FOR_MINUTES = 10;
const SET_ASIDE_MAX = 1_000;

/** Records a request for a wallet's score, which is then refreshed daily for 30 days. */
export async function noteAsked(address: Address): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`
      insert into ${scoreWallets} as w (address, asked_at, refresh_at)
      values (${Buffer.from(address.slice(2), "hex")}, now(), ${NEXT_NIGHT})
      on conflict (address) do update set asked_at = now(), refresh_at = least(w.refresh_at, ${NEXT_NIGHT})
      -- A cached answer costs a write once an hour.
      where w.asked_at < now() - interval '1 hour'`),
  );
}

/** Takes the lease for computing a wallet's score, unless another process holds it. */
export async function takeLease(address: Address, leaseId: string): Promise<boolean> {
  const taken = await withDatabase((db) =>
    db
      .update(scoreWallets)
      .set({ leaseId, leasedUntil: sql`now() + make_interval(secs => ${LEASE_SECONDS})` })
      .where(
        and(
          eq(scoreWallets.address, address),
          or(isNull(scoreWallets.leasedUntil), lt(scoreWallets.leasedUntil, sql`now()`)),
        ),
      )
      .returning({ address: scoreWallets.address }),
  );
  return taken.length > 0;
}

/** Releases the lease. The score counts as computed for the rest of the day. */
export async function giveLeaseBack(address: Address, leaseId: string): Promise<void> {
  await withDatabase(
    (db) =>
      db
        .update(scoreWallets)
        .set({
          leaseId: null,
          leasedUntil: null,
          refreshAt: NEXT_NIGHT,
        })
        .where(and(eq(scoreWallets.address, address), eq(scoreWallets.leaseId, leaseId))),
    // The lease ends by itself, so a failure here must not fail a finished answer.
  ).catch(() => {});
}

/**
 * Takes wallets whose score is due, for a limited time, among those that were requested in the last
 * 30 days. Several processes may do so at once; each takes other wallets.
 */
export async function takeDueWallets(limit: number): Promise<Address[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ address: Address }>(sql`
      update ${scoreWallets} set
        refresh_at = least(now() + make_interval(mins => ${TAKEN_FOR_MINUTES}), ${NEXT_NIGHT})
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

/** Returns taken wallets, so that the next process can take them. */
export async function giveWalletsBack(addresses: readonly Address[]): Promise<void> {
  if (addresses.length === 0) return;
  await withDatabase((db) =>
    db
      .update(scoreWallets)
      .set({ refreshAt: sql`now()` })
      .where(inArray(scoreWallets.address, [...addresses])),
  );
}

/** Marks a wallet as done for today. */
export async function settleWallet(address: Address): Promise<void> {
  await withDatabase((db) =>
    db
      .update(scoreWallets)
      .set({ refreshAt: NEXT_NIGHT })
      .where(and(eq(scoreWallets.address, address), lt(scoreWallets.refreshAt, NEXT_NIGHT))),
  );
}

/**
 * Finds the time until the next wallet of today is due that a process has taken and not finished.
 * @returns the time in milliseconds; null when all are done
 */
export async function findNextDueMs(): Promise<number | null> {
  const [row] = await withDatabase((db) =>
    db.execute<{ waitMs: number }>(sql`
      select (extract(epoch from refresh_at - now()) * 1000)::double precision as "waitMs"
      from ${scoreWallets}
      where refresh_at < ${NEXT_NIGHT}
        and asked_at > now() - make_interval(days => ${ASKED_WITHIN_DAYS})
      order by refresh_at limit 1`),
  );
  return row ? Math.max(0, row.waitMs) : null;
}

/**
 * Sets wallets aside that were not requested in the last 30 days, until they are requested again,
 * so that due wallets are found without passing them.
 * @returns whether there may be more
 */
export async function setAsideUnasked(): Promise<boolean> {
  const aside = await withDatabase((db) =>
    db.execute(sql`
      update ${scoreWallets} set refresh_at = '9999-12-31'
      where address in (
        select address from ${scoreWallets}
        where refresh_at <= now()
          and asked_at <= now() - make_interval(days => ${ASKED_WITHIN_DAYS})
        order by refresh_at limit ${SET_ASIDE_MAX}
        for update skip locked
      )
      returning 1`),
  );
  return aside.length === SET_ASIDE_MAX;
}
