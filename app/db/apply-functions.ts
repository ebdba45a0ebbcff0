import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { TransactionSql } from "postgres";

// The functions of the database: app/db/functions/NAME.sql is the source of each one, and creates it with
// `create or replace`. A trigger stands in the file of its function.

const FUNCTIONS_FOLDER = path.resolve("app/db/functions");

/** PostgreSQL does not replace a function with one of another result or other parameter names. */
const INVALID_FUNCTION_DEFINITION = "42P13";

export interface DatabaseFunction {
  readonly name: string;
  /** The statements that create it. */
  readonly text: string;
}

/** Returns the checksum by which a function's text is known in the database. */
export function getChecksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Reads the functions from a folder, each after those that it calls. */
export function readDatabaseFunctions(folder = FUNCTIONS_FOLDER): readonly DatabaseFunction[] {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"));
  return sortByCalls(
    files.sort().map((file) => ({
      name: path.basename(file, ".sql"),
      text: fs.readFileSync(path.join(folder, file), "utf8"),
    })),
  );
}

function sortByCalls(functions: readonly DatabaseFunction[]): readonly DatabaseFunction[] {
  const byName = new Map(functions.map((each) => [each.name, each]));
  const sorted = new Set<DatabaseFunction>();
  const visit = (each: DatabaseFunction, callers: readonly string[]) => {
    if (sorted.has(each)) return;
    const chain = [...callers, each.name];
    if (callers.includes(each.name)) {
      throw new Error(`Functions of the database call each other in a circle: ${chain.join(", ")}`);
    }
    for (const [, called = ""] of each.text.replace(/--.*$/gm, "").matchAll(/\b(\w+)\s*\(/g)) {
      const callee = byName.get(called);
      if (callee && callee !== each) visit(callee, chain);
    }
    sorted.add(each);
  };
  for (const each of functions) visit(each, []);
  return [...sorted];
}

/** Reads the checksums of the functions in the database, by name. */
export async function readAppliedFunctions(tx: TransactionSql): Promise<Map<string, string>> {
  const rows = await tx<{ name: string; checksum: string }[]>`
    select name, checksum from drizzle.database_functions order by name`;
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/**
 * Brings the functions up to date: creates those whose text has changed since it was applied, and drops those
 * that are no longer among them.
 * @param keepsOthers leaves functions that are no longer among them to processes of the release before
 * @throws {Error} names the function that PostgreSQL refuses; nothing is ever dropped by cascade
 */
export async function applyDatabaseFunctions(
  tx: TransactionSql,
  functions: readonly DatabaseFunction[],
  keepsOthers: boolean,
): Promise<void> {
  const applied = await readAppliedFunctions(tx);
  for (const { name, text } of functions) {
    const checksum = getChecksum(text);
    if (applied.get(name) !== checksum) {
      await naming(name, () => replaceFunction(tx, name, text));
      await tx`
        insert into drizzle.database_functions (name, checksum) values (${name}, ${checksum})
        on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`;
    }
    applied.delete(name);
  }
  for (const name of keepsOthers ? [] : applied.keys()) {
    await naming(name, async () => dropFunctions(tx, await listSignatures(tx, name)));
    await tx`delete from drizzle.database_functions where name = ${name}`;
  }
}

async function naming(name: string, apply: () => Promise<void>): Promise<void> {
  try {
    await apply();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The database's function ${name} cannot be applied: ${reason}`, {
      cause: error,
    });
  }
}

/** Runs the statements of a function's file. Citus takes that of a trigger or an index only by itself. */
async function runFile(tx: TransactionSql, text: string): Promise<void> {
  for (const statement of text.split(/^(?=create (?:or replace trigger|index))/m)) {
    await tx.unsafe(statement);
  }
}

async function replaceFunction(tx: TransactionSql, name: string, text: string): Promise<void> {
  const before = await listSignatures(tx, name);
  try {
    await tx.savepoint((savepoint) => runFile(savepoint, text));
  } catch (error) {
    if ((error as { code?: string }).code !== INVALID_FUNCTION_DEFINITION) throw error;
    await dropFunctions(tx, before);
    await runFile(tx, text);
  }
  // With other types of parameters it is a second function of the same name.
  const after = await listSignatures(tx, name);
  if (after.length > 1) await dropFunctions(tx, before);
  if ((await listSignatures(tx, name)).length !== 1) {
    throw new Error(`${name}.sql must create one function of that name`);
  }
}

/** Lists the functions of a name, as `drop function` takes them. */
async function listSignatures(tx: TransactionSql, name: string): Promise<string[]> {
  const rows = await tx<{ signature: string }[]>`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname = ${name}`;
  return rows.map((row) => row.signature);
}

async function dropFunctions(tx: TransactionSql, signatures: readonly string[]): Promise<void> {
  for (const signature of signatures) await tx.unsafe(`drop function ${signature} restrict`);
}
