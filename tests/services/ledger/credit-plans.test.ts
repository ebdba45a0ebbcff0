import postgres from "postgres";
import { expect, test } from "vitest";
import { toArrayLiteral } from "../../../app/db/array-literal";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { scene } from "../../support/scene";
import { countRowsRead, database, other, PLANNED_ROWS } from "../../support/test-database";

const WALLETS = 1_000;
const CALLS = 50;

test("credits read as many wallets as they change, with a plan from when there was none, analyzed", async () => {
  await other`vacuum analyze wallets`;
  const [empty] = await other`select reltuples from pg_class where relname = 'wallets'`;
  expect(empty).toEqual({ reltuples: 0 });
  const world = await scene();
  // One connection keeps the plan of its first call.
  const sql = postgres({ ...database, max: 1 });
  const credit = (run: postgres.ISql, first: number, places: string | null = null) =>
    creditWallets(run, world, first, places);
  try {
    for (let first = 0; first < WALLETS; first += CALLS) await credit(sql, first);
    const readRows = (places: string | null) =>
      sql.begin(async (tx) => {
        const { rows } = await countRowsRead(tx, "wallets", () => credit(tx, 0, places));
        return rows;
      });
    const list = toArrayLiteral(Array.from({ length: CALLS }, (_, n) => toAddress(n)));
    const [found] = await other<{ places: string }[]>`
      select find_wallet_places(${world.pointSystemId}, ${list}::bytea[])::text as places`;
    // A wallet that stands at its place is not looked up by an index.
    expect(await readRows(found?.places ?? "")).toBeLessThan(PLANNED_ROWS);
    const unaided = await readRows(null);
    expect(unaided).toBeGreaterThanOrEqual(CALLS);
    expect(unaided).toBeLessThan(3 * CALLS);
  } finally {
    await sql.end({ timeout: 1 });
  }
});

test("credits change no row that all credits of their point system would change", async () => {
  // Such a row gets a version for each batch, and while any transaction is open, each batch passes over all of them.
  const world = await scene();
  await other`insert into wallet_links (point_system_id, address, primary_address, linked_at)
    values (${world.pointSystemId}, ${toAddress(90_001)}, ${toAddress(90_002)}, now())`;
  const plain = await scene();
  for (const each of [world, plain]) {
    await creditWallets(other, each, 0, null);
    const changed = await other.begin(async (tx) => {
      await creditWallets(tx, each, 0, null);
      return tx`select distinct relname from pg_stat_xact_user_tables where n_tup_upd + n_tup_del > 0`;
    });
    expect(changed).toEqual([{ relname: "wallets" }]);
  }
});

/** Credits wallets from the nth on, each once. */
function creditWallets(
  run: postgres.ISql,
  { pointSystemId, token }: { readonly pointSystemId: string; readonly token: string },
  first: number,
  places: string | null,
) {
  const list = (of: (n: number) => string | Buffer) =>
    toArrayLiteral(Array.from({ length: CALLS }, (_, n) => of(first + n)));
  return run`
    select from credit_points(${pointSystemId}, array[${hashApiKeyToken(token)}::bytea], ${list(() => "1")}::int[],
      ${list(() => "daily_login")}::text[], ${list(toAddress)}::bytea[], ${list(() => createEventId())}::uuid[],
      '{}', '{}', '{}', '{}', '{}', '{}', 9007199254740991, null, false,
      ${places}::text::tid[])`;
}

const toAddress = (n: number) => Buffer.from(n.toString(16).padStart(40, "0"), "hex");
