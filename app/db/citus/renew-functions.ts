import type { Sql } from "postgres";
import type { DatabaseFunction } from "../apply-functions";
import { toArrayLiteral } from "../array-literal";
import { writeHelpers, writeHold } from "./helpers";
import {
  keepOwnPointSystems,
  planFunctions,
  replaceTables,
  type ShardTables,
  type Signature,
  writeForShard,
  writeOnCoordinator,
  writeOnWorker,
} from "./shard-functions";
import { listShards } from "./shards";
import { REFERENCE_TABLES } from "./tables";
import { addTriggers } from "./triggers";

/**
 * Brings the functions of every node up to date with the code.
 * @returns whether they were not
 */
export async function renewFunctions(pool: Sql): Promise<boolean> {
  const plan = planFunctions();
  await pool`create table if not exists drizzle.distribution (checksum text not null)`;
  const nodes = await pool<{ nodes: string }[]>`
    select string_agg(nodeid::text, ',' order by nodeid) as nodes from pg_dist_node where isactive`;
  const checksum = `${plan.checksum} ${nodes[0]?.nodes}`;
  const [renewed] = await pool<{ checksum: string }[]>`select checksum from drizzle.distribution`;
  if (renewed?.checksum === checksum) return false;

  const shards = await listShards(pool);
  const helpers = writeHelpers(shards.map(({ anchor }) => anchor));
  const sharded = new Set([...plan.sharded.map(({ name }) => name)]);
  const references: ShardTables = new Map(
    [...(shards[0]?.tables ?? [])].filter(([name]) =>
      (REFERENCE_TABLES as readonly string[]).includes(name),
    ),
  );
  const [guard] = await pool<{ text: string }[]>`
    select prosrc as text from pg_proc where oid = 'public.refuse_mixed_scope'::regproc`;
  // It reads two tables that every node has, where it fires.
  const guards = [
    `create or replace function public.refuse_mixed_scope() returns trigger language plpgsql as $$${replaceTables(guard?.text ?? "", references)}$$`,
  ];
  const added = plan.sharded.filter(({ text }) => text.includes("create or replace function"));
  const signatures = await readSignatures(pool, added);
  const called = signatures.filter(({ systemAt, hasOutputs }) => systemAt > 0 && !hasOutputs);

  await runOnWorkers(pool, [
    ...helpers,
    ...guards,
    ...plan.pure.map(({ text }) => text),
    ...shards.flatMap(({ id, tables }, i) => {
      const schema = `shard_${i}`;
      return [
        `drop schema if exists ${schema} cascade`,
        `create schema ${schema}`,
        writeHold(schema, id, tables),
        ...plan.sharded.map((each) => {
          const text = writeForShard(each, schema, tables, sharded);
          return each.name === "list_tails" ? keepOwnPointSystems(text, i, tables) : text;
        }),
      ];
    }),
    ...called.flatMap((signature) => [dropOthers(signature.name), writeOnWorker(signature)]),
  ]);
  await pool.begin(async (tx) => {
    await tx`set local citus.enable_ddl_propagation = off`;
    await tx`set local check_function_bodies = off`;
    for (const text of [...helpers, ...guards]) await tx.unsafe(text);
    for (const signature of called) {
      await tx.unsafe(dropOthers(signature.name));
      await tx.unsafe(writeOnCoordinator(signature));
    }
    for (const { text } of plan.replaced) await tx.unsafe(text);
  });
  await pool.begin(async (tx) => {
    await addTriggers(tx);
    await tx`delete from drizzle.distribution`;
    await tx`insert into drizzle.distribution (checksum) values (${checksum})`;
  });
  return true;
}

/** Reads the functions' parameters. Those that the catalogue does not have yet are made first. */
async function readSignatures(
  pool: Sql,
  functions: readonly DatabaseFunction[],
): Promise<readonly Signature[]> {
  return pool.begin(async (tx) => {
    await tx`set local citus.enable_ddl_propagation = off`;
    await tx`set local check_function_bodies = off`;
    const names = toArrayLiteral(functions.map(({ name }) => name));
    const found = await tx<{ name: string }[]>`
      select distinct proname as name from pg_proc
      where pronamespace = 'public'::regnamespace and proname = any(${names}::text[])`;
    const there = new Set(found.map(({ name }) => name));
    for (const { name, text } of functions) if (!there.has(name)) await tx.unsafe(text);
    return tx<Signature[]>`
      select proname as name, pg_get_function_arguments(oid) as parameters, pg_get_function_result(oid) as result,
        proretset as "isSet", provolatile = 'v' as "isVolatile", pronargs::int as inputs,
        coalesce(array_position(string_to_array(proargtypes::text, ' ')::oid[], 'uuid'::regtype::oid), 0)::int as "systemAt",
        coalesce('o' = any(proargmodes::text[]), false) as "hasOutputs"
      from pg_proc where pronamespace = 'public'::regnamespace and proname = any(${names}::text[])`;
  });
}

/** Drops what stands under a name, whatever its parameters were. */
function dropOthers(name: string): string {
  return `do $drop$
    declare each regprocedure;
    begin
      for each in select p.oid::regprocedure from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.proname = '${name}'
      loop
        execute 'drop function ' || each;
      end loop;
    end $drop$`;
}

/** Runs statements on each worker, in one transaction there. */
async function runOnWorkers(pool: Sql, statements: readonly string[]): Promise<void> {
  const command = `do $all$ begin
    set local citus.enable_ddl_propagation = off;
    set local check_function_bodies = off;
    set local client_min_messages = warning;
    ${statements.map((text) => `execute $statement$${text}$statement$;`).join("\n")}
  end $all$`;
  const answers = await pool<{ node: string; success: boolean; result: string }[]>`
    select nodename || ':' || nodeport as node, success, result from run_command_on_workers(${command})`;
  const failed = answers.find(({ success }) => !success);
  if (failed) throw new Error(`The functions cannot be made on ${failed.node}: ${failed.result}`);
}
