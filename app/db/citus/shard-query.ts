import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database, Executor } from "../client";
import { planFunctions, writeForShard } from "./shard-functions";
import { listShards } from "./shards";

/** Checks whether the database is in the sharded form on Citus. */
export async function isOnCitus(executor: Executor): Promise<boolean> {
  const [row] = await executor.execute<{ isOnCitus: boolean }>(
    sql`select to_regclass('public.shard_anchors') is not null as "isOnCitus"`,
  );
  return row?.isOnCitus ?? false;
}

/**
 * Runs a reading statement on each shard, for the point systems that the shard has. What is read of one shard is of one
 * moment.
 * @param statement it names tables and functions as on plain PostgreSQL
 */
export async function readEachShard<Row>(db: Database, statement: SQL): Promise<Row[]> {
  const { sql: plain } = new PgDialect().sqlToQuery(statement.inlineParams());
  const names = new Set(planFunctions().sharded.map(({ name }) => name));
  const rows: Row[] = [];
  for (const [i, { anchor, tables }] of (await listShards(db.$client)).entries()) {
    const pointSystems = `(select * from public.${tables.get("point_systems")} p where public.shard_of(p.id) = ${i})`;
    const text = writeForShard({ name: "", text: plain }, `shard_${i}`, tables, names).replaceAll(
      `public.${tables.get("point_systems")}`,
      pointSystems,
    );
    const [answer] = await db.execute<{ rows: Row[] }>(sql`
      select query_shard(${text}) as rows from shard_anchors where point_system_id = ${anchor}::uuid`);
    rows.push(...(answer?.rows ?? []));
  }
  return rows;
}
