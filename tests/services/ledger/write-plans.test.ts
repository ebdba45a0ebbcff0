import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { inTransaction, type Transaction } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { createEventId } from "../../../app/domain/ledger/event-id";
import type { Member } from "../../../app/services/access/members";
import { createBoard } from "../../../app/services/board/boards";
import { loadLedger } from "../../../app/services/fixture/ledger";
import type { ResolvedPointSystem } from "../../../app/services/fixture/point-systems";
import { loadSpends } from "../../../app/services/fixture/spends";
import { appendToLedger, markWallets } from "../../../app/services/ledger/append";
import { removeEntries } from "../../../app/services/ledger/entries";
import { moveHoldingsOfLinked } from "../../../app/services/ledger/move";
import { refuseSpentImport } from "../../../app/services/ledger/spent-points";
import { voidImportedEvents } from "../../../app/services/ledger/voids";
import { addLink } from "../../../app/services/wallet-links/links";
import { createOwner, failureOf } from "../../support/operators";
import { extendDeadlines, other } from "../../support/test-database";

beforeAll(extendDeadlines);

const WALLETS = 8_000;
const CHANGED = 300;
const SEASON = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };

const toAddress = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;
const changed = Array.from({ length: CHANGED }, (_, n) => toAddress(1_000 + n * 20));
const toLinked = (_: Address, n: number): Address =>
  `0x${(2 ** 32 - 1 - n).toString(16).padStart(40, "0")}`;

/**
 * Creates a point system with an open season. Both have the wallets, with ten points each from an event by hand. As many
 * others are linked, some of which have points of their own.
 */
async function createLedger(): Promise<Member<"owner">> {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const terms = { kind: "season", slug: "one", name: "One", timeZone: "UTC" } as const;
  await createBoard(owner, { ...terms, isPublic: true, season: SEASON });
  const windows = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${pointSystemId}`;
  for (const id of [pointSystemId, ...windows.map((window) => window.id)]) await addWallets(id);
  await other`
    insert into point_events (point_system_id, id, address, points, balance, created_at, import_id)
    select ${pointSystemId}, gen_random_uuid(), decode(lpad(to_hex(n), 40, '0'), 'hex'), 10, 10, now(), ${randomUUID()}
    from generate_series(1, ${WALLETS}::int) n`;
  await other`
    update point_system_totals set wallets = ${WALLETS}, events = ${WALLETS}, counted_seq = newest_event_seq(${pointSystemId})
    where point_system_id = ${pointSystemId}`;
  await other`
    insert into wallet_links (point_system_id, address, primary_address, linked_at)
    select ${pointSystemId}, decode(lpad(to_hex(-n), 40, '0'), 'hex'), decode(lpad(to_hex(n), 40, '0'), 'hex'), now()
    from generate_series(1, ${WALLETS}::int) n`;
  await other`
    insert into wallets (point_system_id, address, points, events)
    select ${pointSystemId}, decode(lpad(to_hex(-n), 40, '0'), 'hex'), 3, 1 from generate_series(1, ${CHANGED}::int) n`;
  await other`
    insert into wallet_spending (point_system_id, address, spent)
    select ${pointSystemId}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 from generate_series(7001, ${WALLETS}::int) n`;
  await other`
    insert into streak_bonuses (point_system_id, streak_id, address, days, reached_on, seq, trigger_key)
    select ${pointSystemId}, ${pointSystemId}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 2, '2026-01-02', n, 'bonus'
    from generate_series(1, ${WALLETS}::int) n`;
  await other`
    insert into blacklist (point_system_id, address)
    select ${pointSystemId}, decode(lpad(to_hex(n + 1000000), 40, '0'), 'hex') from generate_series(1, ${WALLETS}::int) n`;
  return owner;
}

const addWallets = (boardId: string) => other`
  insert into wallets (point_system_id, address, points, events)
  select ${boardId}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 10, 1 from generate_series(1, ${WALLETS}::int) n`;

interface Reads {
  readonly rows: number;
  readonly pages: number;
}

/** Counts the rows that a change reads, and the pages of all tables and indexes. */
async function countRead(change: (tx: Transaction) => Promise<unknown>): Promise<Reads> {
  return inTransaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.execute<{ rows: number; pages: number }>(sql`
          select (
            select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int from pg_stat_xact_user_tables
          ) as rows, (
            select sum(pg_stat_get_xact_blocks_fetched(oid))::int from pg_class
            where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
          ) as pages`);
      return row ?? { rows: 0, pages: 0 };
    };
    const before = await read();
    await change(tx);
    const after = await read();
    return { rows: after.rows - before.rows, pages: after.pages - before.pages };
  });
}

/** Creates a point system of a file in which 300 wallets spend a point each: others than those that are changed. */
const createSpends = (id: string) =>
  ({
    ...{ id, path: "" },
    spends: changed.map((_, n) => ({
      ...{ address: toAddress(1_001 + n * 20), points: 1, reason: "Mug" },
      ...{ id: null, date: null, reversedAt: null },
    })),
  }) as unknown as ResolvedPointSystem;

async function expectFewReads({ pointSystemId, actor }: Member<"owner">): Promise<void> {
  const { operatorId } = actor;
  const append = (points: number) =>
    countRead((tx) =>
      appendToLedger(tx, pointSystemId, {
        events: changed.map((address) => ({
          ...{ id: createEventId(), address, points, event: null, date: new Date() },
          ...(points < 0 && { voids: { id: randomUUID(), date: new Date() } }),
        })),
        registered: [],
        registeredAt: new Date(),
      }),
    );
  const mark = (isBlacklisted: boolean) =>
    countRead((tx) => markWallets(tx, pointSystemId, changed, isBlacklisted));
  const [imported] = await other<{ id: string; ids: string[] }[]>`
    select import_id as id, (array_agg(id order by seq))[:${CHANGED}::int] as ids from point_events
    where point_system_id = ${pointSystemId} and import_id is not null group by import_id`;
  const { id: importId = "", ids = [] } = imported ?? {};
  const reads = {
    credits: await append(5),
    marks: await mark(true),
    unmarks: await mark(false),
    corrections: await append(-15),
    removals: await countRead((tx) => removeEntries(tx, pointSystemId, changed)),
    pardons: await countRead(async (tx) => {
      const moved = await moveHoldingsOfLinked(
        tx,
        pointSystemId,
        changed.map(toLinked),
        operatorId,
      );
      expect(moved).toHaveLength(CHANGED);
    }),
    files: await countRead((tx) => {
      const file = { path: "", isNew: false, events: [], wallets: changed, blacklist: [] };
      return loadLedger(tx, { ...file, id: pointSystemId }, new Date());
    }),
    refusals: await countRead(async (tx) => {
      const failure = await failureOf(refuseSpentImport(tx, pointSystemId, importId));
      expect(failure.code).toBe("points_are_spent");
    }),
    spends: await countRead((tx) => loadSpends(tx, createSpends(pointSystemId), new Date())),
    undoing: await countRead((tx) =>
      voidImportedEvents(tx, pointSystemId, ids, { operatorId, note: null }),
    ),
    bonuses: await countRead((tx) =>
      tx.execute(sql`
        select settle_bonuses(
          b.point_system_id, array_agg(b.streak_id), array_agg(b.address), array_agg(b.days), array_agg(b.reached_on),
          array_agg('limit_reached'::text), array_agg(null::uuid)
        )
        from (
          select * from streak_bonuses where point_system_id = ${pointSystemId} and state = 'due'
          order by seq limit ${CHANGED}
        ) b
        group by b.point_system_id`),
    ),
    pardoned: await countRead((tx) =>
      tx.execute(sql`
        select from remove_from_blacklist(${pointSystemId}::uuid, array(
          select decode(lpad(to_hex(n + 1000000), 40, '0'), 'hex') from generate_series(1, ${CHANGED}::int) n
        ))`),
    ),
    links: await countRead(async (tx) => {
      for (const [n, primaryAddress] of changed.entries()) {
        const pair = { address: toAddress(2_000_000 + n), primaryAddress };
        await addLink(tx, pointSystemId, pair, { date: new Date(), operatorId });
      }
    }),
    voids: await countRead((tx) =>
      tx.execute(sql`
        select from point_events e
        cross join lateral find_standing_event(e.point_system_id, e.created_at, e.id)
        where e.point_system_id = ${pointSystemId} order by e.seq desc limit ${CHANGED}`),
    ),
    figures: await countRead((tx) =>
      tx.execute(sql`select from list_ledger_changes(${pointSystemId}::uuid, (
        select max(seq) - ${CHANGED}::int from point_events where point_system_id = ${pointSystemId}
      ), null)`),
    ),
  };
  for (const [change, { rows, pages }] of Object.entries(reads)) {
    // The check before an import is undone reads all of it.
    expect(rows, change).toBeLessThan(change === "refusals" ? 3 * WALLETS : WALLETS);
    expect(pages, change).toBeLessThan(200 * CHANGED);
  }
  const settled = await other`
    select from streak_bonuses where point_system_id = ${pointSystemId} and state = 'limit_reached'`;
  expect(settled.length).toBe(CHANGED);
  const [left] = await other<{ wallets: number; inSeason: number }[]>`
    select count(*) filter (where point_system_id = ${pointSystemId})::int as wallets,
      count(*) filter (where point_system_id in (
        select id from board_windows where point_system_id = ${pointSystemId}
      ))::int as "inSeason" from wallets where points > 0`;
  // The wallets of the undone import keep what came from linked ones.
  expect(left).toEqual({ wallets: WALLETS - CHANGED, inSeason: WALLETS - 2 * CHANGED });
}

test("changes by hand read little beside what they change, without statistics and with old ones", async () => {
  const tables = ["wallets", "point_events", "wallet_links", "streak_bonuses", "blacklist"];
  for (const table of tables)
    await other`alter table ${other(table)} set (autovacuum_enabled = off)`;
  await expectFewReads(await createLedger());
  // The statistics know nothing of the next point system.
  await other`analyze`;
  await expectFewReads(await createLedger());
}, 120_000);
