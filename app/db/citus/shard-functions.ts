import { createHash } from "node:crypto";
import path from "node:path";
import { type DatabaseFunction, readDatabaseFunctions } from "../apply-functions";
import { ANCHORS, COORDINATOR_FUNCTIONS, DISTRIBUTED_TABLES, REFERENCE_TABLES } from "./tables";

// The functions of the database on Citus (docs/decisions/088). A function of one point system is compiled once for
// each shard, against the shard's own tables: everything in it works as on plain PostgreSQL. A function of the same
// name, called with the point system, takes the call there.

const SHARD_FOLDER = path.resolve("app/db/citus/shard");
const COORDINATOR_FOLDER = path.resolve("app/db/citus/coordinator");

/** A function as it stands in the catalogue. */
export interface Signature {
  readonly name: string;
  /** The parameters with names, types and defaults; without the columns of a returned table. */
  readonly parameters: string;
  readonly result: string;
  readonly isSet: boolean;
  readonly isVolatile: boolean;
  readonly inputs: number;
  /** The number of the first parameter that is a uuid, from 1; 0 without one. */
  readonly systemAt: number;
  readonly hasOutputs: boolean;
}

/** The tables of a shard, by the names that functions use. */
export type ShardTables = ReadonlyMap<string, string>;

interface FunctionPlan {
  /** The functions that are compiled for each shard. */
  readonly sharded: readonly DatabaseFunction[];
  /** The functions without tables, which every node has. */
  readonly pure: readonly DatabaseFunction[];
  /** The functions that are others on the coordinator. */
  readonly replaced: readonly DatabaseFunction[];
  /** The names of those that only Citus has. */
  readonly own: readonly string[];
  readonly checksum: string;
}

const NAMES = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ANCHORS];
const TABLE = new RegExp(
  `\\b(from|join|into|update|table)(\\s+)("?)(${NAMES.join("|")})\\b\\3(?!\\s*\\.)`,
  "g",
);
/** Functions that name no table, and yet belong on the ledger's node: a lock, a sequence, a deletion. */
const NODE_FUNCTIONS =
  /^(lock_ledger|lock_ledger_in_time|lock_program|lock_ranks|next_ledger_seq|purge_ledger)$/;
/** The words that follow a table without an alias. */
const NO_ALIAS = new Set(
  `where order limit on using group set cross left right join full inner for union values select returning offset
  window having in`.split(/\s+/),
);

/** Sorts the functions by where they run. */
export function planFunctions(): FunctionPlan {
  const functions = readDatabaseFunctions();
  const own = readDatabaseFunctions(SHARD_FOLDER);
  const replaced = readDatabaseFunctions(COORDINATOR_FOLDER);
  const stays = new Set([...COORDINATOR_FUNCTIONS, ...replaced.map(({ name }) => name)]);
  const all = [...functions, ...own].map(({ name, text }) => ({ name, text: takeFunction(text) }));
  const mayMove = all.filter(({ name, text }) => !stays.has(name) && !/returns trigger/.test(text));
  const sharded = new Map<string, DatabaseFunction>();
  for (let size = -1; size !== sharded.size; ) {
    size = sharded.size;
    for (const each of mayMove) {
      const calls = [...each.text.matchAll(/\b(\w+)\s*\(/g)].map(([, name = ""]) => name);
      const isSharded = new RegExp(TABLE).test(each.text) || NODE_FUNCTIONS.test(each.name);
      if (isSharded || calls.some((name) => name !== each.name && sharded.has(name))) {
        sharded.set(each.name, each);
      }
    }
  }
  const pure = mayMove.filter(({ name }) => !sharded.has(name));
  const parts = [...functions, ...own, ...replaced].map(({ text }) => text);
  const checksum = createHash("sha256").update(parts.join("\n")).digest("hex");
  return {
    ...{ sharded: [...sharded.values()], pure, replaced, checksum },
    own: own.map(({ name }) => name),
  };
}

/** Takes the statement that creates the function out of its file, without comments. */
function takeFunction(text: string): string {
  const [statement] =
    /create or replace function[\s\S]*?(?:\bas \$\$[\s\S]*?\$\$|\nreturn [\s\S]*?;)/.exec(
      text.replace(/--.*$/gm, ""),
    ) ?? [];
  if (!statement) throw new Error(`There is no function in:\n${text}`);
  return statement;
}

/** Writes a function for one shard: it reads and writes the shard's tables, and calls the shard's functions. */
export function writeForShard(
  { name, text }: DatabaseFunction,
  schema: string,
  tables: ShardTables,
  sharded: ReadonlySet<string>,
): string {
  const withTables = replaceTables(text, tables)
    .replaceAll("nextval('point_events_seq_seq')", "nextval('public.ledger_seq')")
    .replace(/\b(\w+)(?=\s*\()/g, (word) => (sharded.has(word) ? `${schema}.${word}` : word));
  if (name !== "purge_ledger") return withTables;
  return withTables.replace(
    /, ledger\s*\) using/,
    `, case ledger when 'spends' then '${tables.get("spends")}' else '${tables.get("point_events")}' end) using`,
  );
}

/** Lets a text that lists point systems list those of its shard. */
export function keepOwnPointSystems(text: string, place: number, tables: ShardTables): string {
  const all = `public.${tables.get("point_systems")}`;
  return text.replaceAll(all, `(select * from ${all} p where public.shard_of(p.id) = ${place})`);
}

/** Replaces the tables in a function by those of a shard. */
export function replaceTables(text: string, tables: ShardTables): string {
  return text.replace(TABLE, (found, word: string, space: string, _, name: string, at: number) => {
    const table = `${word}${space}public.${tables.get(name)}`;
    const [, next = ""] = /^\s+(?:as\s+)?(\w+)/.exec(text.slice(at + found.length)) ?? [];
    const hasAlias = next !== "" && !NO_ALIAS.has(next.toLowerCase());
    return hasAlias || word === "table" ? table : `${table} as ${name}`;
  });
}

const list = (count: number) => Array.from({ length: count }, (_, i) => `$${i + 1}`).join(", ");

/** Writes the function that a node with shards answers the calls of a name with. */
export function writeOnWorker(signature: Signature): string {
  const call = `${signature.name}(${list(signature.inputs)})`;
  const hold = signature.isVolatile ? `execute format('select shard_%s.hold()', shard);` : "";
  return writeFunction(
    signature,
    `shard int := public.shard_of($${signature.systemAt});`,
    hold,
    signature.isSet
      ? `format('select * from shard_%s.${call}', shard)`
      : `format('select shard_%s.${call}', shard)`,
  );
}

/** Writes the function that the coordinator takes the calls of a name to the shard with. */
export function writeOnCoordinator(signature: Signature): string {
  const call = `public.${signature.name}(${list(signature.inputs)})`;
  const where = `public.shard_anchors a`;
  return writeFunction(
    signature,
    `anchor uuid := public.anchor_of($${signature.systemAt});`,
    "",
    signature.isSet
      ? `format('select f.* from ${where} cross join lateral ${call} f where a.point_system_id = %L', anchor)`
      : `format('select ${call} from ${where} where a.point_system_id = %L', anchor)`,
  );
}

function writeFunction(
  { name, parameters, result, isSet, isVolatile, inputs }: Signature,
  declared: string,
  first: string,
  statement: string,
): string {
  const using = inputs > 0 ? ` using ${list(inputs)}` : "";
  const body = isSet
    ? `return query execute ${statement}${using};`
    : result === "void"
      ? `execute ${statement}${using};`
      : `execute ${statement} into answer${using}; return answer;`;
  return `create or replace function public.${name}(${parameters}) returns ${result}
language plpgsql ${isVolatile ? "volatile" : "stable"} as $call$
#variable_conflict use_variable
declare
  ${declared}
  ${isSet || result === "void" ? "" : `answer ${result};`}
begin
  ${first}
  ${body}
end $call$`;
}
