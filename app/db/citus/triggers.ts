import type { TransactionSql } from "postgres";
import { SEQUENCED_TABLES } from "./tables";

/** Adds the triggers that Citus needs, once their functions are on every node. */
export async function addTriggers(tx: TransactionSql): Promise<void> {
  for (const name of SEQUENCED_TABLES) {
    await addTrigger(tx, `${name}_take_seq`, name, "take_ledger_seq()");
  }
  await addTrigger(tx, "board_windows_beside", "board_windows", "keep_window_beside()");
}

async function addTrigger(
  tx: TransactionSql,
  name: string,
  table: string,
  call: string,
): Promise<void> {
  const [found] = await tx`
    select from pg_trigger where tgrelid = ${table}::regclass and tgname = ${name}`;
  if (found) return;
  await tx.unsafe(
    `create trigger ${name} before insert on ${table} for each row execute function ${call}`,
  );
}
