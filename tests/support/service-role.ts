import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { inTransaction, withDatabase } from "../../app/db/client";

const NO_PRIVILEGE = "42501";

/** Tries whatever takes the ledger or the audit log apart on the open database: the role has no right to any of it. */
export async function expectLedgerOutOfReach(): Promise<void> {
  for (const table of ["point_events", "spends", "audit_log"]) {
    for (const statement of [
      `update ${table} set created_at = now()`,
      `delete from ${table}`,
      `truncate ${table}`,
      `drop table ${table} cascade`,
      `alter table ${table} disable trigger all`,
      `alter table ${table} add column x int`,
      `drop trigger ${table}_append_only on ${table}`,
      `create rule r as on insert to ${table} do instead nothing`,
    ]) {
      const refusal = inTransaction(async (tx) => {
        await tx.execute(sql`select set_config('ledger.removes_events', 'on', true)`);
        await tx.execute(sql.raw(statement));
      });
      await expect(refusal, statement).rejects.toMatchObject({ cause: { code: NO_PRIVILEGE } });
    }
  }
  for (const statement of [
    "create or replace function refuse_point_event_change() returns trigger language sql as ''",
    "delete from drizzle.served_schemas",
    "comment on schema drizzle is 'mine'",
    "create table public.mine (x int)",
    "create schema mine",
    "create role mine superuser",
    "set session_replication_role = replica",
    "set role pg_execute_server_program",
    "alter system set fsync = off",
    "copy (select 1) to program 'true'",
    "select pg_read_file('PG_VERSION')",
  ]) {
    const refusal = withDatabase((db) => db.execute(sql.raw(statement)));
    await expect(refusal, statement).rejects.toMatchObject({ cause: { code: NO_PRIVILEGE } });
  }
}
