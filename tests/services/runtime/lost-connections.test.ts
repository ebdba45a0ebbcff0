import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Connection,
  getDatabaseOptions,
  inTransaction,
  type Transaction,
} from "../../../app/db/client";
import { listConnectionSettings } from "../../../app/db/connection-settings";
import { createPool } from "../../../app/db/pool";
import { atDepth } from "../../support/depth";

// A restart of PostgreSQL, a failover or an administrator ends connections at any moment.

let killer: Connection;
let single: Connection;

beforeAll(async () => {
  killer = createPool({ ...getDatabaseOptions(), connectionsMax: 1 });
  single = createPool({ ...getDatabaseOptions(), connectionsMax: 1 });
  await killer`create table journeys (name text)`;
});
afterAll(async () => {
  await killer.end();
  await single.end();
});

const readPid = async (tx: Transaction): Promise<number> => {
  const [row] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return row?.pid ?? 0;
};
const endBackend = (pid: number) => killer`select pg_terminate_backend(${pid}, 1000)`.execute();

test("a connection lost within a transaction fails that transaction only, however often", async () => {
  for (let round = 0; round < atDepth(30, 100); round += 1) {
    const isUnderWay = round % 2 === 0;
    const lost = inTransaction(async (tx) => {
      const ended = endBackend(await readPid(tx));
      if (!isUnderWay) await ended;
      await tx.execute(sql`select pg_sleep(1)`);
    });
    await expect(lost).rejects.toMatchObject({ code: "service_unavailable" });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => inTransaction((tx) => tx.execute(sql`select 1 as one`))),
    );
    expect(answers.flat()).toHaveLength(12);
  }
});

test("what a lost transaction still does reaches no other transaction on its connection", async () => {
  let goOn = () => {};
  const isTime = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const lost = single.begin(async (tx) => {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await endBackend(row?.pid ?? 0);
    await isTime;
    await tx`insert into journeys values ('lost')`;
  });
  await expect(lost).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  const other = single.begin(async (tx) => {
    await tx`insert into journeys values ('kept')`;
    goOn();
    await sleep(50);
    await tx`insert into journeys values ('kept')`;
  });
  await other;
  expect(await single`select name from journeys`).toEqual([{ name: "kept" }, { name: "kept" }]);
});

test("a transaction has its connection to itself, also as the last that a pipeline takes", async () => {
  for (const readsBefore of [98, 99, 100, 101]) {
    await single`select 1`;
    const reads = Array.from({ length: readsBefore }, () => single`select 1`.execute());
    const transaction = single.begin(async (tx) => {
      await tx`insert into journeys values ('rolled back')`;
      throw new Error("The work fails");
    });
    await expect(transaction).rejects.toThrow("The work fails");
    await Promise.all(reads);
    expect(await single`select 1 from journeys where name = 'rolled back'`).toEqual([]);
  }
});

test("every connection has the settings that this service relies on, whatever its role says", async () => {
  const options = getDatabaseOptions();
  const others = {
    synchronous_commit: "off",
    statement_timeout: "1",
    lock_timeout: "1",
    jit: "on",
    default_transaction_isolation: "serializable",
    DateStyle: "SQL, DMY",
    bytea_output: "escape",
    standard_conforming_strings: "off",
    array_nulls: "off",
    extra_float_digits: "0",
    idle_session_timeout: "1",
  };
  const [database] = await killer<{ name: string }[]>`select current_database() as name`;
  for (const [name, value] of Object.entries(others)) {
    await killer.unsafe(`alter database "${database?.name}" set ${name} = '${value}'`);
  }
  for (const statementTimeoutMs of [options.statementTimeoutMs, 0]) {
    const pool = createPool({ ...options, connectionsMax: 1, statementTimeoutMs });
    const expected = listConnectionSettings(statementTimeoutMs);
    const rows = await pool<{ name: string; setting: string }[]>`
      select name, setting from pg_settings where name in ${pool(Object.keys(expected))}`;
    await pool.end();
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual(expected);
  }
});
