import { and, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { scoreWallets } from "../../db/schema/scores";
import type { Address } from "../../domain/address";

// The wallets whose score was asked for: who computes it now, and when it is due again.

/** Longer than a computation can take: what a process that died holds is free after this. */
const LEASE_SECONDS = 30;
/** When the daily refresh begins again: midnight by UTC, as its schedule and providers' days do. */
const NEXT_NIGHT = sql`date_trunc('day', now(), 'UTC') + interval '24 hours'`;

const ASKED_WITHIN_DAYS = 30;
/** A wallet that was taken and not done, since the process died, is taken again after this, or at midnight. */
const TAKEN_FOR_MINUTES = 10;
const SET_ASIDE_MAX = 1_000;

/** Remembers that somebody wants this wallet's score: it is refreshed daily for 30 days. */
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

/** Makes this process the one that computes the score, unless another one does. */
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

/** Lets others compute the score; it counts as computed for the rest of the day. */
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
    // It ends by itself: an answer that stands must not fail for this.
  ).catch(() => {});
}

/**
 * Takes wallets whose score is due, for a while: those that somebody asked for in the last 30 days.
 * Any number of processes may do so at once; each takes others.
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

/** Gives wallets that were taken back to whoever comes next. */
export async function giveWalletsBack(addresses: readonly Address[]): Promise<void> {
  if (addresses.length === 0) return;
  await withDatabase((db) =>
    db
      .update(scoreWallets)
      .set({ refreshAt: sql`now()` })
      .where(inArray(scoreWallets.address, [...addresses])),
  );
}

/** Notes that a wallet's score is no matter of this day any more. */
export async function settleWallet(address: Address): Promise<void> {
  await withDatabase((db) =>
    db
      .update(scoreWallets)
      .set({ refreshAt: NEXT_NIGHT })
      .where(and(eq(scoreWallets.address, address), lt(scoreWallets.refreshAt, NEXT_NIGHT))),
  );
}

/**
 * How long until a wallet of this day is due that somebody has taken and not done yet.
 * @returns null when all are done
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
 * Takes wallets that nobody has asked for in 30 days out of the line, until somebody does again: the
 * due ones are found without passing them.
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
