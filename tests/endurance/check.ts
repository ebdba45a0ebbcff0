import { createHash } from "node:crypto";
import type { Sql } from "postgres";
import { runCommand, SMALL_FIXTURE } from "../support/server-process";
import type { Book, Call } from "./book";
import { HOT_WALLETS, TRIGGER } from "./callers";

const { pointSystemId, token } = SMALL_FIXTURE;
const RANKS_CHECKED = 200;
const LIMIT_MS = 60_000;
const LIMIT_CALLS = 10;

/** Counts of what must not be. */
export interface Faults {
  /** Calls that were answered as credited, and are not in the ledger. */
  readonly lost: number;
  /** Events beyond one for each call that the ledger knows. */
  readonly doubled: number;
  /** Calls that were answered as not credited, and are in the ledger. */
  readonly refusedAndThere: number;
  /** Calls in the ledger that nobody made. */
  readonly foreign: number;
  /** Events beyond the trigger limit. */
  readonly beyondLimit: number;
  /** Wallets whose rank or points over HTTP are not those of the sorted events. */
  readonly wrongRanks: number;
  /** The problem that `npm run ledger:verify` names. */
  readonly ledger: string | null;
}

/** A database to check, and servers that answer from it. */
export interface Checked {
  readonly sql: Sql;
  readonly dataDir: string;
  readonly urls: readonly string[];
}

/** Compares every call of the book with the ledger, and the service's answers with the ledger. */
export async function checkLedger({ sql, dataDir, urls }: Checked, book: Book): Promise<Faults> {
  const digestOf = await createDigest(sql);
  const records = await sql<{ digest: string }[]>`
    select encode(digest, 'hex') as digest from idempotency_records
    union all select encode(digest, 'hex') from idempotency_records_before`;
  const stored = new Set(records.map(({ digest }) => digest));
  const there = book.calls.filter((call) => stored.has(digestOf(call)));
  const events = await sql<{ address: string; events: number }[]>`
    select '0x' || encode(address, 'hex') as address, count(*)::int as events
    from point_events where point_system_id = ${pointSystemId} and api_key_id is not null group by 1`;
  const callsOf = new Map<string, number>();
  for (const { address } of there) callsOf.set(address, (callsOf.get(address) ?? 0) + 1);
  const isThere = new Set(there);
  const { calls } = book;
  return {
    lost: calls.filter((call) => call.outcome === "ok" && !isThere.has(call)).length,
    doubled: events.reduce(
      (sum, row) => sum + Math.abs(row.events - (callsOf.get(row.address) ?? 0)),
      0,
    ),
    refusedAndThere: there.filter(({ outcome }) => outcome === "failed").length,
    foreign: records.length - there.length,
    beyondLimit: await countBeyondLimit(sql),
    wrongRanks: await countWrongRanks(sql, urls),
    ledger: await runCommand(["ledger-verify"], {
      DATABASE: "embedded",
      DATA_DIR: dataDir,
    }).then(
      () => null,
      ({ stdout, stderr }) => `${stdout}${stderr}`.slice(-2_000),
    ),
  };
}

/** Makes the function that computes a call's digest, as app/db/functions/credit_points.sql does. */
async function createDigest(sql: Sql): Promise<(call: Call) => string> {
  const [key] = await sql<{ id: string }[]>`select id from api_keys`;
  const ids = Buffer.from(`${key?.id}${pointSystemId}`.replaceAll("-", ""), "hex");
  return ({ idempotencyKey }) =>
    createHash("sha256").update(ids).update(idempotencyKey).digest("hex").slice(0, 32);
}

/** Counts events that had ten others within the minute before them, in the ledger's order. */
async function countBeyondLimit(sql: Sql): Promise<number> {
  let beyond = 0;
  for (const address of HOT_WALLETS) {
    const events = await sql<{ at: number }[]>`
      select extract(epoch from created_at)::float8 * 1000 as at from point_events
      where point_system_id = ${pointSystemId} and address = decode(${address.slice(2)}, 'hex')
        and event = ${TRIGGER} order by seq`;
    for (const [i, { at }] of events.entries()) {
      // The clock may have jumped back: what is later by it does not count.
      const counted = events
        .slice(0, i)
        .filter((other) => other.at > at - LIMIT_MS && other.at <= at);
      if (counted.length >= LIMIT_CALLS) beyond += 1;
    }
  }
  return beyond;
}

async function countWrongRanks(sql: Sql, urls: readonly string[]): Promise<number> {
  const wallets = await sql<{ address: string; points: string; rank: number }[]>`
    with summed as (
      select address, sum(points) as points from point_events
      where point_system_id = ${pointSystemId} group by address
    ),
    ranked as (
      select '0x' || encode(address, 'hex') as address, points,
        row_number() over (order by points desc, address)::int as rank
      from summed
    )
    select * from ranked order by md5(address) limit ${RANKS_CHECKED}`;
  let wrong = 0;
  for (const [i, { address, points, rank }] of wallets.entries()) {
    const query = new URLSearchParams({ pointSystemId, address });
    const response = await fetch(`${urls[i % urls.length]}/wallet?${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const body = await response.json();
    if (body.points !== Number(points) || body.rank !== rank) wrong += 1;
  }
  return wrong;
}
