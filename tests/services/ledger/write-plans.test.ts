import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { type Transaction, withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { createBoard } from "../../../app/services/board/boards";
import { appendToLedger, markWallets } from "../../../app/services/ledger/append";
import { removeEntries } from "../../../app/services/ledger/entries";
import { createOwner } from "../../support/operators";
import { other } from "../../support/test-database";

const WALLETS = 20_000;
const CHANGED = 300;
const SEASON = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };

const toAddress = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;
const changed = Array.from({ length: CHANGED }, (_, n) => toAddress(1 + n * 60));

/** Creates a point system with an open season. Both have the wallets, with ten points each. */
async function createLedger(): Promise<string> {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const terms = { kind: "season", slug: "one", name: "One", timeZone: "UTC" } as const;
  await createBoard(owner, { ...terms, isPublic: true, season: SEASON });
  const windows = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${pointSystemId}`;
  for (const id of [pointSystemId, ...windows.map((window) => window.id)]) await addWallets(id);
  await other`
    update point_system_totals set wallets = ${WALLETS}, events = ${WALLETS}
    where point_system_id = ${pointSystemId}`;
  return pointSystemId;
}

const addWallets = (boardId: string) => other`
  insert into wallets (point_system_id, address, points, events)
  select ${boardId}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 10, 1 from generate_series(1, ${WALLETS}::int) n`;

/** Counts the wallets that a change reads. */
async function countRead(change: (tx: Transaction) => Promise<unknown>): Promise<number> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const read = async () => {
        const [row] = await tx.execute<{ rows: number }>(sql`
          select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
          where relname = 'wallets'`);
        return row?.rows ?? 0;
      };
      const before = await read();
      await change(tx);
      return (await read()) - before;
    }),
  );
}

async function expectFewReads(pointSystemId: string): Promise<void> {
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
  const reads = {
    credits: await append(5),
    marks: await mark(true),
    unmarks: await mark(false),
    corrections: await append(-15),
    removals: await countRead((tx) => removeEntries(tx, pointSystemId, changed)),
  };
  for (const rows of Object.values(reads)) expect(rows).toBeLessThan(15 * CHANGED);
  const [left] = await other<{ wallets: number; inSeason: number }[]>`
    select count(*) filter (where point_system_id = ${pointSystemId})::int as wallets,
      count(*) filter (where point_system_id in (
        select id from board_windows where point_system_id = ${pointSystemId}
      ))::int as "inSeason" from wallets`;
  expect(left).toEqual({ wallets: WALLETS - CHANGED, inSeason: WALLETS - CHANGED });
}

test("changes by hand read about as many wallets as they change, without statistics and with old ones", async () => {
  await other`alter table wallets set (autovacuum_enabled = off)`;
  await expectFewReads(await createLedger());
  // The statistics know nothing of the next point system.
  await other`analyze wallets`;
  await expectFewReads(await createLedger());
});
