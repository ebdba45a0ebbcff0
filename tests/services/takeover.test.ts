import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import postgres from "postgres";
import { beforeEach, expect, test } from "vitest";
import { isDatabaseMigrated, migrateDatabase } from "../../app/db/migrations";
import { buildMissingRanks, foldRanks } from "../../app/services/board/rank-counts";
import { verifyLedger } from "../../app/services/ledger/verify";
import { findOwner, grant } from "../support/operators";
import { act, expectExact, WALLETS } from "../support/ranked-board";
import { database, other } from "../support/test-database";

const newDatabase = await describeDatabase();

// The file's own database becomes one that commit c493280 has made and used.
beforeEach(async () => {
  const dump = await fs.readFile(new URL("database-c493280.sql", import.meta.url), "utf8");
  const owner = postgres({ ...database, max: 1, onnotice: () => {} });
  await owner`drop schema if exists public, drizzle, pgboss cascade`;
  await owner`create schema public`;
  await owner.unsafe(dump);
  await owner.end();
});

/** Reads all that makes the schema, in the order of the columns. */
async function describeDatabase() {
  const rows = await other`
    with relations as (
      select * from pg_class where relnamespace = 'public'::regnamespace
    )
    select 'relation ' || concat_ws(' ', relname, relkind, relpersistence) as what, reloptions::text as is
    from relations where relkind in ('r', 'S', 'v', 'm')
    union all
    select 'column ' || r.relname || '.' || row_number() over (
      partition by r.oid order by a.attnum
    ) || ' ' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attidentity, a.attstorage, pg_get_expr(d.adbin, d.adrelid))
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
    where r.relkind = 'r'
    union all
    select 'constraint ' || r.relname || '.' || c.conname, pg_get_constraintdef(c.oid)
    from relations r join pg_constraint c on c.conrelid = r.oid where c.contype <> 'n'
    union all
    select 'index ' || r.relname, pg_get_indexdef(r.oid) from relations r where r.relkind = 'i'
    union all
    select 'trigger ' || r.relname || '.' || t.tgname, pg_get_triggerdef(t.oid)
    from relations r join pg_trigger t on t.tgrelid = r.oid where not t.tgisinternal
    union all
    select 'function ' || oid::regprocedure, pg_get_functiondef(oid) from pg_proc
    where pronamespace = 'public'::regnamespace
    order by 1`;
  return [...rows];
}

async function readLedger() {
  return {
    // Without what a later migration moved to another table, or added.
    events: (await other`select * from point_events order by seq`).map(
      ({
        idempotency_key,
        occurred_at,
        metadata,
        voids_created_at,
        board_points,
        base_points,
        boost_factor,
        named_address,
        moved_events,
        ...event
      }) => event,
    ),
    wallets: (await other`select * from wallets order by point_system_id, address`).map(
      ({ last_credit_at, ...wallet }) => wallet,
    ),
    blacklist: [...(await other`select * from blacklist order by point_system_id, address`)],
    audit: [...(await other`select * from audit_log order by id`)],
    cursors: [...(await other`select * from rank_cursors`)],
    moves: [...(await other`select * from rank_moves order by seq`)],
  };
}

async function listWorlds() {
  const rows = await other<
    { pointSystemId: string; tokenHash: Buffer; apiKeyId: string; operator: string }[]
  >`
    select s.point_system_id as "pointSystemId", k.token_hash as "tokenHash", k.id as "apiKeyId",
      o.email as operator
    from api_key_point_systems s
    join api_keys k on k.id = s.api_key_id
    join operators o on o.id = k.operator_id`;
  return Promise.all(
    rows.map(async (row) => ({ ...row, member: await findOwner(row.pointSystemId) })),
  );
}

test("a database of commit c493280 is taken over with its data, and goes on", async () => {
  const before = await readLedger();
  // Two instances start together.
  await Promise.all([migrateDatabase(database), migrateDatabase(database)]);
  expect(await readLedger()).toEqual(before);
  expect(await describeDatabase()).toEqual(newDatabase);
  expect(await isDatabaseMigrated()).toBe(true);
  const worlds = await listWorlds();
  expect(worlds.length).toBe(2);
  const expectAllExact = async () => {
    for (const { pointSystemId, apiKeyId } of worlds) {
      await expectExact(pointSystemId, 4);
      const wrong = await other`
        select w.address from wallets w
        join lateral list_standings(${apiKeyId}, w.address, null) s
          on s.point_system_id = w.point_system_id
        where w.point_system_id = ${pointSystemId}
          and s.rank <> rank_on_board(w.point_system_id, w.points, w.address)`;
      expect(wrong).toEqual([]);
    }
    expect((await verifyLedger()).differences).toEqual([]);
  };
  await expectAllExact();
  for (const world of worlds) {
    await act(world, { kind: "credit", calls: WALLETS.map((w) => ({ wallet: w, points: 512 })) });
    await grant(world.member, WALLETS[2] as `0x${string}`, 7);
  }
  await expectAllExact();
  while (await buildMissingRanks());
  for (const { pointSystemId } of worlds) await foldRanks(pointSystemId);
  await expectAllExact();
  // Taken over once: from then on it is a database like any other.
  await migrateDatabase(database);
  await expectAllExact();
});

test("an idempotency key that was used in the last 30 days is still known", async () => {
  const [row] = await other<{ pointSystemId: string; apiKeyId: string }[]>`
    select point_system_id as "pointSystemId", api_key_id as "apiKeyId" from api_key_point_systems`;
  const { pointSystemId = "", apiKeyId = "" } = row ?? {};
  const insert = (key: string, days: number) => other`
    insert into point_events (
      point_system_id, id, address, points, balance, event, created_at, api_key_id, idempotency_key
    ) values (
      ${pointSystemId}, gen_random_uuid(), decode(repeat('ab', 20), 'hex'), 5, 5, 'points_5',
      now() - make_interval(days => ${days}), ${apiKeyId}, ${key}
    )`;
  await insert("known", 29);
  await insert("forgotten", 31);
  await migrateDatabase(database);
  const bytes = (uuid: string) => Buffer.from(uuid.replaceAll("-", ""), "hex");
  const hash = (...parts: (Buffer | string)[]) =>
    createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part))));
  expect([
    ...(await other`
      select encode(digest, 'hex') as digest, encode(request, 'hex') as request, points::int
      from idempotency_records`),
  ]).toEqual([
    {
      digest: hash(bytes(apiKeyId), bytes(pointSystemId), "known").digest("hex").slice(0, 32),
      request: hash(Buffer.alloc(20, 0xab), "points_5\0").digest("hex").slice(0, 32),
      points: 5,
    },
  ]);
});

test("an API key is kept only as a SHA-256 hash: its last characters leave keys and audit log", async () => {
  const characters = async () => {
    const [row] = await other<{ found: number }[]>`
      select (select count(*) from api_keys k where to_jsonb(k) ? 'last_four')::int
        + (select count(*) from audit_log where before ? 'lastFour' or after ? 'lastFour')::int
        as found`;
    return row?.found;
  };
  await other`
    insert into audit_log (actor, action, subject, before, after) values
      ('ada', 'api_key.create', 'k', null, '{"permission": "all", "lastFour": "beef"}'),
      ('ada', 'api_key.delete', 'k', '{"permission": "all", "lastFour": "beef"}', null)`;
  expect(await characters()).toBeGreaterThanOrEqual(3);
  await migrateDatabase(database);
  expect(await characters()).toBe(0);
  const entries = await other`
    select before, after from audit_log where actor = 'ada' order by id`;
  const rest = { permission: "all" };
  expect([...entries]).toEqual([
    { before: null, after: rest },
    { before: rest, after: null },
  ]);
  await expect(other`update audit_log set subject = 'x'`).rejects.toThrow("append-only");
});

test("jobs that pg-boss kept are taken over, and each point system gets a cursor of statistics", async () => {
  await other`create schema pgboss`;
  await other`create type pgboss.job_state as enum (
    'created', 'retry', 'active', 'completed', 'cancelled', 'failed'
  )`;
  await other`create table pgboss.job (
    id uuid default gen_random_uuid(), name text, singleton_key text, data jsonb,
    state pgboss.job_state, retry_count int default 0, created_on timestamptz default now()
  )`;
  await other`insert into pgboss.job (name, singleton_key, data, state, retry_count, created_on) values
    ('build-allocation', 'a/0', '{"round": 0}', 'active', 1, '2026-01-01'),
    ('build-allocation', 'b/1', '{"round": 1}', 'created', 0, '2026-01-02'),
    ('build-allocation', 'b/1', '{"round": 1}', 'retry', 2, '2026-01-03'),
    ('build-allocation', 'c/0', '{"round": 0}', 'completed', 0, '2026-01-04'),
    ('build-allocation', 'd/0', '{"round": 0}', 'failed', 8, '2026-01-05'),
    ('refresh-scores', null, null, 'created', 0, '2026-01-06')`;
  await migrateDatabase(database);
  expect([
    ...(await other`select queue, key, data, state, attempts from jobs order by id`),
  ]).toEqual(
    [
      { key: "a/0", data: { round: 0 }, state: "retry", attempts: 1 },
      { key: "b/1", data: { round: 1 }, state: "waiting", attempts: 0 },
      { key: "b/1", data: { round: 1 }, state: "retry", attempts: 2 },
    ].map((job) => ({ queue: "build-allocation", ...job })),
  );
  const [left] = await other`
    select to_regnamespace('pgboss') as schema, (
      select count(*)::int from point_systems p left join statistics_cursors c
        on c.point_system_id = p.id where c.point_system_id is null
    ) as without`;
  expect(left).toEqual({ schema: null, without: 0 });
});

test.each([
  [
    "an older database",
    "delete from drizzle.__drizzle_migrations where id > 12",
    /older version. Start commit c493280/,
  ],
  [
    "a database with one more migration than is known",
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('00ff', 1)",
    /newer version, or by another one/,
  ],
  [
    "a database with other migrations",
    "update drizzle.__drizzle_migrations set hash = '00ff' where id = 15",
    /newer version, or by another one/,
  ],
  [
    "a database with tables of ours and no history",
    "drop schema drizzle cascade",
    /no record of its version/,
  ],
])("%s is refused and left as it is", async (_name, change, message) => {
  await other.unsafe(change);
  const before = [await describeDatabase(), await readLedger()];
  await expect(migrateDatabase(database)).rejects.toThrow(message);
  expect([await describeDatabase(), await readLedger()]).toEqual(before);
  const [found] = await other`select to_regclass('drizzle.database_functions') as functions`;
  expect(found).toEqual({ functions: null });
  expect(await isDatabaseMigrated().catch(() => false)).toBe(false);
});

test("an empty database beside tables of others is filled", async () => {
  await other`drop schema public, drizzle cascade`;
  await other`create schema public`;
  await other`create table somebody_elses (id int)`;
  await migrateDatabase(database);
  await other`drop table somebody_elses`;
  expect(await describeDatabase()).toEqual(newDatabase);
});

test("what the two earlier followers stored of campaigns and claims is kept", async () => {
  const [system] = await other<{ id: string }[]>`select id from point_systems limit 1`;
  const id = system?.id ?? "";
  const reward = "11111111-2222-4333-8444-555555555555";
  const bytes = (byte: string, length: number) => Buffer.from(byte.repeat(length), "hex");
  const [contract, wallet, admin, next] = ["c0", "a1", "ad", "ae"].map((byte) => bytes(byte, 20));
  const [creation, claim, change, block] = ["01", "02", "03", "b1"].map((byte) => bytes(byte, 32));
  const minedAt = new Date("2026-10-01T12:00:00Z");
  await other`insert into rewards (point_system_id, id, kind, campaign_id, campaign_name, token_type,
      token_symbol, token_decimals, chain_id, total_amount_wei, status)
    values (${id}, ${reward}, 'token', 'CMP-taken', 'Taken', 'ethereum', 'ETH', 18, 8453, 5, 'distributed')`;
  await other`insert into airdrops (point_system_id, reward_id, chain_id, contract_address, onchain_id,
      status, admin_address, creation_tx_hash, creation_block, created_onchain_at, refunded_wei,
      scanned_to_block)
    values (${id}, ${reward}, 8453, ${contract as Buffer}, 7, 'active', ${next as Buffer},
      ${creation as Buffer}, 100, ${minedAt}, 0, 99)`;
  await other`insert into airdrop_transactions (point_system_id, reward_id, tx_hash, chain_id,
      block_number, block_hash, is_creation, is_cancellation, refunded_wei, admin_before, is_final)
    values
      (${id}, ${reward}, ${creation as Buffer}, 8453, 100, ${block as Buffer}, true, false, 0, null, true),
      (${id}, ${reward}, ${change as Buffer}, 8453, 105, ${block as Buffer}, false, false, 0,
        ${admin as Buffer}, true)`;
  await other`insert into distributions (point_system_id, reward_id, address, amount_wei, claimed_at,
      claim_tx_hash)
    values (${id}, ${reward}, ${wallet as Buffer}, 5, ${minedAt}, ${claim as Buffer})`;
  await other`insert into claims (chain_id, contract, tx_hash, log_index, block_number, block_hash,
      mined_at, onchain_id, account, amount_wei, is_final)
    values (8453, ${contract as Buffer}, ${claim as Buffer}, 3, 110, ${block as Buffer}, ${minedAt}, 7,
      ${wallet as Buffer}, 5, true)`;
  await other`insert into claim_indexers (chain_id, contract, claims, reorgs, start_block, final_block)
    values (8453, ${contract as Buffer}, 1, 2, 100, 120)`;
  await migrateDatabase(database);
  const [airdrop] = await other`
    select status, creation_block::int, admin_named_block::int, admin_address, chain_admin_address
    from airdrops where reward_id = ${reward}`;
  expect(airdrop).toEqual({
    status: "active",
    creation_block: 100,
    admin_named_block: 99,
    admin_address: admin,
    chain_admin_address: next,
  });
  const readShare = async () => [
    ...(await other`select claimed_at, claim_tx_hash from distributions where reward_id = ${reward}`),
  ];
  expect(await readShare()).toEqual([{ claimed_at: minedAt, claim_tx_hash: claim }]);
  expect([
    ...(await other`select claims::int, reorgs, final_block::int from chain_followers`),
  ]).toEqual([{ claims: 1, reorgs: 2, final_block: -1 }]);
  // The chain is read again: the same claim comes once, and a newer log takes nothing back.
  const row = (kind: string, extra: object) => ({
    chain_id: 8453,
    contract: `\\x${(contract as Buffer).toString("hex")}`,
    block_hash: `\\x${(block as Buffer).toString("hex")}`,
    mined_at: minedAt,
    onchain_id: 7,
    kind,
    ...extra,
  });
  const hex = (buffer: Buffer | undefined) => `\\x${buffer?.toString("hex")}`;
  const again = [
    row("claim", {
      tx_hash: hex(claim),
      log_index: 3,
      block_number: 110,
      account: hex(wallet),
      amount_wei: 5,
    }),
    row("deadline", {
      tx_hash: hex(change),
      log_index: 1,
      block_number: 105,
      fields: { deadline: "4000000000" },
    }),
  ];
  const [counted] = await other`
    select * from replace_chain_logs(8453, ${contract as Buffer}, 100, 200, '{}',
      ${JSON.stringify(again)}::text::jsonb, null)`;
  expect(counted).toEqual({ added: 0, undone: 0 });
  expect(await readShare()).toEqual([{ claimed_at: minedAt, claim_tx_hash: claim }]);
  const [kept] =
    await other`select status, onchain_id::int from airdrops where reward_id = ${reward}`;
  expect(kept).toEqual({ status: "active", onchain_id: 7 });
});
