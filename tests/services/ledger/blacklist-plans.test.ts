import { randomUUID } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { expect, test } from "vitest";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createBoard } from "../../../app/services/board/boards";
import { findBlacklistEntry } from "../../../app/services/ledger/blacklist-entries";
import { listRewardsOfWallet } from "../../../app/services/rewards/rewards";
import { findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { changeUnguarded, database, flushFigures, other } from "../../support/test-database";

const ENTRIES = 20_000;
/** To plan a statement, PostgreSQL looks at an index a few times. */
const PLANNED_PAGES = 20;

/** Lists the statements that look for a wallet's entry of the blacklist, in a point system of its own. */
async function createLooks() {
  const address = createAddress();
  const { pointSystemId, token } = await scene({
    permission: "all",
    events: [{ address, points: 5 }],
  });
  const owner = await findOwner(pointSystemId);
  await createBoard(owner, {
    ...{ kind: "weekly", slug: null, name: "Weekly", timeZone: "UTC", isPublic: false },
    season: null,
  });
  const wallet = Buffer.from(address.slice(2), "hex");
  const [key] = await other`select id from api_keys where token_hash = ${hashApiKeyToken(token)}`;
  const keyId = key?.id as string;
  const looks = {
    standings: (sql: Sql) => sql`
      select points from list_standings(${keyId}, ${wallet}::bytea, null) where points is not null`,
    points: (sql: Sql) => sql`
      select points from find_board_points(${pointSystemId}, ${pointSystemId}, false, ${wallet}::bytea)
      where not is_blacklisted`,
    board: (sql: Sql) => sql`
      select is_ready, blacklist_reason from read_board_entry(${pointSystemId}, ':weekly', null, ${wallet}::bytea)`,
    spend: (sql: Sql) => sql`
      select verdict from spend_points(${pointSystemId}, ${randomUUID()}, ${wallet}::bytea, 9, 'x', ${keyId}, 'x')`,
    rewards: async () => [await listRewardsOfWallet(pointSystemId, address)],
    entry: async () => [await findBlacklistEntry(owner, address)],
  };
  return { pointSystemId, looks };
}

/** Blacklists many wallets of a point system and links others, each at a time of its own. */
async function fillLists(pointSystemId: string): Promise<void> {
  await other`
    insert into blacklist (point_system_id, address, created_at)
    select ${pointSystemId}, decode(lpad(md5(n::text), 40, '0'), 'hex'), now() - n * interval '1 s'
    from generate_series(1, ${ENTRIES}) n`;
  await other`
    insert into wallet_links (point_system_id, address, primary_address, linked_at)
    select ${pointSystemId}, substring(sha256(n::text::bytea) for 20), decode(repeat('ab', 20), 'hex'), now() - n * interval '1 s'
    from generate_series(1, ${ENTRIES}) n`;
}

/** Names the statements that read more pages of the two lists' indexes by time than a planner looks at. */
async function listWholeReads({ looks }: Awaited<ReturnType<typeof createLooks>>, sql: Sql) {
  const count = async () => {
    await flushFigures();
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<{ pages: number }[]>`
      select sum(idx_blks_hit + idx_blks_read)::int as pages from pg_statio_user_indexes
      where indexrelname in ('blacklist_feed', 'wallet_links_feed')`;
    return row?.pages ?? 0;
  };
  const whole: Record<string, number> = {};
  for (const [name, look] of Object.entries(looks)) {
    const before = await count();
    expect(await look(sql), name).toHaveLength(1);
    const pages = (await count()) - before;
    if (pages > PLANNED_PAGES) whole[name] = pages;
  }
  return whole;
}

test("no look at a wallet reads the whole blacklist or all links, whatever the statistics say of it", async () => {
  await other`alter table blacklist set (autovacuum_enabled = off)`;
  await other`alter table wallet_links set (autovacuum_enabled = off)`;
  const sql = postgres({ ...database, max: 1, connection: { enable_seqscan: "off" } });
  try {
    await sql`set plan_cache_mode = force_generic_plan`;
    await other`vacuum analyze blacklist, wallet_links`;
    const first = await createLooks();
    for (const look of Object.values(first.looks)) await look(sql);
    await fillLists(first.pointSystemId);
    expect.soft(await listWholeReads(first, sql), "plans from an empty list").toEqual({});
    await other`vacuum analyze blacklist, wallet_links`;
    const second = await createLooks();
    await fillLists(second.pointSystemId);
    expect.soft(await listWholeReads(second, sql), "statistics of another list").toEqual({});
    await changeUnguarded(async (tx) => {
      await tx`delete from blacklist`;
      await tx`delete from wallet_links`;
      await tx`
        insert into blacklist (point_system_id, address)
        select gen_random_uuid(), decode(lpad(md5((n % 3)::text), 40, '0'), 'hex') from generate_series(1, ${ENTRIES}) n`;
      await tx`
        insert into wallet_links (point_system_id, address, primary_address)
        select point_system_id, address, decode(repeat('ab', 20), 'hex') from blacklist`;
    });
    await other`vacuum analyze blacklist, wallet_links`;
    const third = await createLooks();
    await fillLists(third.pointSystemId);
    expect.soft(await listWholeReads(third, sql), "statistics of small lists").toEqual({});
  } finally {
    await sql.end({ timeout: 1 });
  }
});
