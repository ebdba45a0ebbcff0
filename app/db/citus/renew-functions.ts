import type { Sql } from "postgres";
import { type DatabaseFunction, getChecksum } from "../apply-functions";
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

interface Node {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

/**
 * Brings the functions of every node up to date with the code, and leaves those that are so alone: their shards may be
 * in use.
 * @returns whether any was not
 */
export async function renewFunctions(pool: Sql): Promise<boolean> {
  const plan = planFunctions();
  const shards = await listShards(pool);
  const helpers = writeHelpers(shards.map(({ anchor }) => anchor));
  const holds = shards.map(({ id, tables }, i) => writeHold(`shard_${i}`, id, tables));
  const checksum = getChecksum([plan.checksum, ...helpers, ...holds].join("\n"));
  const outdated = await listOutdated(pool, checksum);
  if (outdated.length === 0) return false;
  const isCoordinatorOutdated = outdated.some(({ isCoordinator }) => isCoordinator);
  const workers = outdated.filter(({ isCoordinator }) => !isCoordinator);

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
  const signatures = await readSignatures(pool, added, isCoordinatorOutdated ? plan.own : []);
  const called = signatures.filter(({ systemAt, hasOutputs }) => systemAt > 0 && !hasOutputs);

  await runOnWorkers(pool, workers, [
    ...helpers,
    ...guards,
    ...plan.pure.map(({ text }) => text),
    ...shards.flatMap(({ tables }, i) => {
      const schema = `shard_${i}`;
      return [
        `drop schema if exists ${schema} cascade`,
        `create schema ${schema}`,
        `grant usage on schema ${schema} to public`,
        holds[i] ?? "",
        ...plan.sharded.map((each) => {
          const text = writeForShard(each, schema, tables, sharded);
          return each.name === "list_tails" ? keepOwnPointSystems(text, i, tables) : text;
        }),
      ];
    }),
    ...called.flatMap((signature) => [dropOthers(signature.name), writeOnWorker(signature)]),
  ]);
  await pool.begin(async (tx) => {
    if (!isCoordinatorOutdated) return;
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
    for (const { id } of outdated) {
      await tx`
        insert into drizzle.node_functions (node_id, checksum) values (${id}, ${checksum})
        on conflict (node_id) do update set checksum = excluded.checksum`;
    }
  });
  return true;
}

/** Lists the nodes whose functions are not those of a checksum. */
async function listOutdated(pool: Sql, checksum: string): Promise<readonly Node[]> {
  const [found] = await pool`select where to_regclass('drizzle.node_functions') is not null`;
  // A role that only serves may not create it.
  if (!found) {
    await pool`create table drizzle.node_functions (node_id int primary key, checksum text not null)`;
  }
  return pool<Node[]>`
    select n.nodeid as id, n.nodename as host, n.nodeport as port, n.groupid = 0 as "isCoordinator"
    from pg_dist_node n left join drizzle.node_functions f on f.node_id = n.nodeid
    where n.isactive and n.noderole = 'primary' and f.checksum is distinct from ${checksum}
    order by n.nodeid`;
}

/**
 * Reads the functions' parameters. Those that the catalogue does not have yet are made first, and those that are
 * Citus' own: no migration replaces them.
 */
async function readSignatures(
  pool: Sql,
  functions: readonly DatabaseFunction[],
  own: readonly string[],
): Promise<readonly Signature[]> {
  return pool.begin(async (tx) => {
    await tx`set local citus.enable_ddl_propagation = off`;
    await tx`set local check_function_bodies = off`;
    for (const name of own) await tx.unsafe(dropOthers(name));
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

/** Runs statements on workers, in one transaction on each. */
async function runOnWorkers(
  pool: Sql,
  workers: readonly Node[],
  statements: readonly string[],
): Promise<void> {
  if (workers.length === 0) return;
  const command = `do $all$ begin
    set local citus.enable_ddl_propagation = off;
    set local check_function_bodies = off;
    set local client_min_messages = warning;
    ${statements.map((text) => `execute $statement$${text}$statement$;`).join("\n")}
  end $all$`;
  const answers = await pool<{ node: string; success: boolean; result: string }[]>`
    select node_name || ':' || node_port as node, success, result from master_run_on_worker(
      ${toArrayLiteral(workers.map(({ host }) => host))}::text[],
      ${toArrayLiteral(workers.map(({ port }) => String(port)))}::int[],
      array_fill(${command}::text, array[${workers.length}::int]), true
    )`;
  const failed = answers.find(({ success }) => !success);
  if (failed) throw new Error(`The functions cannot be made on ${failed.node}: ${failed.result}`);
}
