import { readdirSync } from "node:fs";
import path from "node:path";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { afterAll, expect, test, vi } from "vitest";
import type { Database } from "../../../app/db/pool";

// A shard holds all data of some point systems (docs/scaling.md). A statement that names its point
// system for each table runs on one shard. A statement that does not runs on all of them, or cannot
// run.

/** The tables that grow with wallets and credits. */
const BIG_TABLES = [
  "wallets",
  "point_events",
  "rank_counts",
  "rank_cursors",
  "rank_moves",
  "point_system_totals",
  "blacklist",
  "idempotency_records",
  "spends",
  "wallet_spending",
  "wallet_links",
  "boost_wallets",
  "streak_days",
  "streak_bonuses",
  "trigger_cap_counts",
  "wallet_weeks",
];

type Build = (db: Database) => {
  execute(parameters: never): unknown;
  getQuery?: () => { sql: string };
};
const { builds } = vi.hoisted(() => {
  vi.resetModules(); // The set-up has loaded them unmocked.
  return { builds: [] as Build[] };
});
vi.mock("../../../app/db/client", async (importOriginal) => ({
  ...(await importOriginal<typeof import("../../../app/db/client")>()),
  hotQuery: (build: Build) => {
    builds.push(build);
    return () => Promise.reject(new Error("Not to be run"));
  },
}));

// Files of one worker share their modules: the next one loads them unmocked.
afterAll(() => vi.resetModules());

/** Lists the SQL of every query that is prepared once and run repeatedly. */
async function listHotStatements(): Promise<string[]> {
  const folder = path.resolve("app/services");
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".ts")) await import(path.join(folder, file));
  }
  const statements: string[] = [];
  const unsafe = (text: string) => {
    statements.push(text);
    return Promise.resolve([]);
  };
  const db = Object.assign(drizzle.mock(), { $client: { unsafe } }) as unknown as Database;
  for (const build of builds) {
    const query = build(db);
    if (query.getQuery) statements.push(query.getQuery().sql);
    else await query.execute(NOTHING_ASKED as never);
  }
  return statements;
}

/** The parameters of a query that asks for nothing, in each form that queries take. */
const NOTHING_ASKED = Object.assign([], { questions: [] });

/** Lists the statements of every function in the database. */
async function listFunctionStatements(): Promise<string[]> {
  const { withDatabase } = await import("../../../app/db/client");
  const functions = await withDatabase((db) =>
    db.execute<{ source: string }>(sql`
      select prosrc as source from pg_proc where pronamespace = 'public'::regnamespace`),
  );
  return functions.flatMap(({ source }) => source.replace(/--.*$/gm, "").split(";"));
}

/** Splits a statement into its queries: each `(select …)` or `(with …)` separately. */
function listQueries(statement: string): string[] {
  const opened: string[] = [];
  const queries: string[] = [];
  let current = "";
  for (const part of statement.split(/([()])/)) {
    if (part === "(") {
      opened.push(current);
      current = "";
    } else if (part === ")") {
      const isQuery = /^\s*(select|with|insert|update|delete)\b/i.test(current);
      if (isQuery) queries.push(current);
      current = isQuery ? `${opened.pop()} … ` : `${opened.pop()} (${current})`;
    } else {
      current += part;
    }
  }
  return [...queries, current].map((query) => query.replace(/["\s]+/g, " ").trim());
}

function findStrayQueries(statements: readonly string[]): string[] {
  const usesBigTable = new RegExp(`\\b(from|join|into|update) (${BIG_TABLES.join("|")})\\b`);
  return (
    statements
      .flatMap(listQueries)
      .filter((query) => usesBigTable.test(query))
      // What looks up the place of a row names the point system.
      .filter((query) => !/\bctid = (any \(places\)|\w+\.place\b)/.test(query))
      .filter((query) => !/point_system_id\b/.test(query.replace(/^.*?\b(from|into|update)\b/, "")))
  );
}

test("every hot query names the point system of each large table", async () => {
  const statements = await listHotStatements();
  expect(statements.filter((text) => text.includes("wallets")).length).toBeGreaterThan(0);
  expect(findStrayQueries(statements)).toEqual([]);
});

test("every statement of the database's functions names the point system of each large table", async () => {
  const statements = await listFunctionStatements();
  expect(statements.filter((text) => text.includes("rank_counts")).length).toBeGreaterThan(5);
  expect(findStrayQueries(statements)).toEqual([]);
});

test("the check finds a query that does not", () => {
  const stray = [
    "select 1 from wallets where address = $1",
    'select 1 from t where exists (select 1 from "wallets" "w" where "w"."address" = $1)',
    "select * from wallets w where w.point_system_id = $1 and (select max(seq) from point_events) > 1",
    "with x as (update wallets set points = 1 where address = $1) select point_system_id from x",
  ];
  expect(findStrayQueries(stray).length).toBe(stray.length);
});
