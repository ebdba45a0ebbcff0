import postgres from "postgres";
import { afterAll, inject } from "vitest";
import { closeDatabase, getDatabaseOptions, openDatabase } from "../../app/db/client";
import { database, other } from "./test-database";

/**
 * Lets the test file set the clock of its database: its functions of time come before PostgreSQL's own from here on.
 * Credits through `creditOrders` take the first call after a jump ahead for a late one.
 */
export async function takeClock() {
  // On Citus, every node has a clock.
  const nodes = [
    other,
    ...inject("workers").map((node) =>
      postgres({ ...node, database: database.database, max: 1, onnotice: () => {} }),
    ),
  ];
  const onEachNode = (statements: string) =>
    Promise.all(
      nodes.map((node) =>
        node.unsafe(`set local citus.enable_ddl_propagation = off; ${statements}`),
      ),
    );
  await onEachNode(`
    create schema moved;
    create table moved.clock (ahead interval not null);
    insert into moved.clock values ('0');
    create function moved.clock_timestamp() returns timestamptz language sql volatile
      as 'select pg_catalog.clock_timestamp() + (select ahead from moved.clock)';
    create function moved.statement_timestamp() returns timestamptz language sql stable
      as 'select pg_catalog.statement_timestamp() + (select ahead from moved.clock)';
    alter database ${database.database} set search_path to moved, public, pg_catalog`);
  const options = getDatabaseOptions();
  await closeDatabase();
  openDatabase(options);
  const sql = postgres({ ...database, max: 2, onnotice: () => {} });
  afterAll(() =>
    Promise.all([sql, ...nodes.slice(1)].map((connection) => connection.end({ timeout: 1 }))),
  );
  return {
    /** Connections with the moved clock. */
    sql,
    /** Sets the present time; the clock then goes on. */
    async set(time: Date): Promise<void> {
      await Promise.all(
        nodes.map(
          (node) =>
            node`update moved.clock set ahead = ${time}::timestamptz - pg_catalog.clock_timestamp()`,
        ),
      );
    },
    async read(): Promise<Date> {
      const [row] = await other<{ now: Date }[]>`
        select pg_catalog.clock_timestamp() + ahead as now from moved.clock`;
      return row?.now ?? new Date(Number.NaN);
    },
    /** Moves the clock from where it stands, by the same time however slow the machine is. */
    async jump(ms: number): Promise<void> {
      await Promise.all(
        nodes.map((node) => node`update moved.clock set ahead = ahead + ${ms} * interval '1 ms'`),
      );
    },
  };
}
