import { appendFileSync, writeFileSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase } from "../../app/db/client";
import type { DatabaseAddress } from "../../app/db/pool";
import { verifyLedger } from "../../app/services/ledger/verify";
import { type Citus, type CitusNode, startAgain, startCitus } from "../support/citus";
import { openDistributed, reopenDatabase } from "../support/citus-database";
import { creditSteadily } from "../support/citus-load";
import { scene } from "../support/scene";
import { waitUntil } from "../support/server-process";

/** Each node copies its log beside its data, as pgBackRest would to another place. */
const ARCHIVE = `
archive_mode = on
archive_command = 'mkdir -p "$PWD-archive" && cp %p "$PWD-archive/%f"'
`;

let citus: Citus;
let address: DatabaseAddress;
let nodes: readonly CitusNode[];

beforeAll(async () => {
  citus = await startCitus({ settings: ARCHIVE });
  nodes = [citus.coordinator, ...citus.workers];
  address = await openDistributed(citus, "kept");
}, 120_000);
afterAll(() => citus.end());

const connect = ({ address: node }: CitusNode) =>
  postgres({ ...node, database: "kept", max: 1, onnotice: () => {} });

/** Writes a base backup of a node. */
function copyNode({ address: { port }, data }: CitusNode): void {
  const to = ["-D", `${data}-base`, "-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
  citus.run("pg_basebackup", ...to, "--checkpoint=fast");
}

/** Waits until what a node has written so far is in its archive. */
async function archiveLog(node: CitusNode): Promise<void> {
  const sql = connect(node);
  const [{ file } = { file: "" }] = await sql<{ file: string }[]>`
    select pg_walfile_name(pg_switch_wal()) as file`;
  await waitUntil(async () => {
    const [row] = await sql<{ last: string | null }[]>`
      select last_archived_wal as last from pg_stat_archiver`;
    return (row?.last ?? "") >= file;
  }, 30_000);
  await sql.end();
}

/** Starts a node on its base backup, and waits until it has its log up to the point. */
async function restoreNode(node: CitusNode, point: string): Promise<void> {
  const base = `${node.data}-base`;
  appendFileSync(
    `${base}/postgresql.conf`,
    `restore_command = 'cp ${node.data}-archive/%f %p'
recovery_target_name = '${point}'
recovery_target_action = promote
archive_mode = off
`,
  );
  writeFileSync(`${base}/recovery.signal`, "");
  await startAgain(() => node.start(base));
  const sql = connect(node);
  await waitUntil(async () => {
    const [row] = await sql<{ isDone: boolean }[]>`select not pg_is_in_recovery() as "isDone"`;
    return row?.isDone ?? false;
  }, 30_000);
  await sql.end();
}

/** Waits until each point system has credits of this load. */
const untilCredited = ({ books }: ReturnType<typeof creditSteadily>) =>
  waitUntil(async () => books.every(({ acknowledged }) => acknowledged.size > 20), 30_000);

test("all nodes restored to one point have exactly the credits before it, and credits go on", async () => {
  const worlds = [await scene(), await scene(), await scene(), await scene()];
  const before = creditSteadily(worlds);
  for (const node of nodes) copyNode(node);
  await untilCredited(before);
  await before.stop();
  const around = creditSteadily(worlds);
  await untilCredited(around);
  const known = around.books.map(({ acknowledged }) => [...acknowledged.keys()]);
  const sql = connect(citus.coordinator);
  await sql`select citus_create_restore_point('at_noon')`;
  await sql.end();
  const after = creditSteadily(worlds);
  await untilCredited(after);
  await Promise.all([around.stop(), after.stop()]);
  for (const node of nodes) await archiveLog(node);

  await closeDatabase();
  for (const node of nodes) node.kill();
  for (const node of nodes) await restoreNode(node, "at_noon");
  await reopenDatabase(address);
  expect((await verifyLedger()).differences).toEqual([]);
  const restored = connect(citus.coordinator);
  for (const [i, { pointSystemId }] of worlds.entries()) {
    const rows = await restored<{ address: string; points: number }[]>`
      select '0x' || encode(address, 'hex') as address, points::int from wallets
      where point_system_id = ${pointSystemId}`;
    const points = new Map(rows.map((row) => [row.address, row.points]));
    const asked = [...(before.books[i]?.acknowledged.keys() ?? []), ...(known[i] ?? [])];
    expect(asked.length).toBeGreaterThan(40);
    expect(asked.filter((wallet) => points.get(wallet) !== 10)).toEqual([]);
    const later = [...(after.books[i]?.acknowledged.keys() ?? [])];
    expect(later.length).toBeGreaterThan(20);
    expect(later.filter((wallet) => points.has(wallet))).toEqual([]);
  }
  await restored.end();
  for (const world of worlds) expect((await world.fire()).status).toBe(200);
  expect((await verifyLedger()).differences).toEqual([]);
});
