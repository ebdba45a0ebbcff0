import { sql } from "drizzle-orm";
import { withDatabase } from "../../app/db/client";
import { TOTAL_POINTS_MAX } from "../../app/domain/ledger/points";
import type { Editor, Member } from "../../app/services/access/members";
import { getImport } from "../../app/services/imports/imports";
import { previewImport } from "../../app/services/imports/preview";
import { runImportBatch } from "../../app/services/imports/runner";
import { commitImport, createImport } from "../../app/services/imports/steps";
import { grantPoints } from "../../app/services/ledger/grants";

/** Writes a file of two columns. */
export function toCsv(rows: readonly (readonly [address: string, points: number | string])[]) {
  return rows.map((cells) => `${cells.join(",")}\n`).join("");
}

/** Uploads a file and commits the result of its dry run. */
export async function commitFile(member: Editor, csv: string, note: string | null = null) {
  const { id } = await createImport(member, { fileName: "season.csv", csv });
  const { wallets, points, digest } = await previewImport(member, id);
  await commitImport(member, id, { wallets, points, digest, note });
  return id;
}

/** Runs the imports of all point systems until none is left. */
export async function runImports(): Promise<void> {
  while (await runImportBatch());
}

export async function statusOf(member: Member, id: string) {
  return (await getImport(member, id)).status;
}

/** Lists the points of each wallet of a point system. */
export async function listTotals({ pointSystemId }: Member) {
  const rows = await withDatabase((db) =>
    db.execute<{ address: string; points: number; events: number }>(sql`
      select '0x' || encode(address, 'hex') as address, points::float8 as points,
        events::float8 as events
      from wallets where point_system_id = ${pointSystemId} order by address`),
  );
  return Object.fromEntries(
    rows.map(({ address, points, events }) => [address, { points, events }]),
  );
}

/**
 * Raises a wallet to its maximum without the ledger: no history is that long.
 * @param room the points that it may still get
 * @returns restores the points that the wallet's events give
 */
export async function fillWallet(owner: Editor, address: `0x${string}`, room = 0) {
  await grantPoints(owner, { address, points: 1, note: null });
  const setPoints = (points: number) =>
    withDatabase((db) =>
      db.execute(sql`
        update wallets set points = ${points}::bigint
        where point_system_id = ${owner.pointSystemId}
          and address = decode(${address.slice(2)}, 'hex')`),
    );
  await setPoints(TOTAL_POINTS_MAX - room);
  return () => setPoints(1);
}
