import { sql } from "drizzle-orm";
import { withDatabase } from "../../app/db/client";
import { TOTAL_POINTS_MAX } from "../../app/domain/ledger/points";
import type { Member } from "../../app/services/access/members";
import { getImport } from "../../app/services/imports/imports";
import { previewImport } from "../../app/services/imports/preview";
import { runImportBatch } from "../../app/services/imports/runner";
import { commitImport, createImport } from "../../app/services/imports/steps";
import { grantPoints } from "../../app/services/ledger/grants";

type Editor = Member<"owner" | "editor">;

/** A file of two columns, as it was uploaded. */
export function toCsv(rows: readonly (readonly [address: string, points: number | string])[]) {
  return rows.map((cells) => `${cells.join(",")}\n`).join("");
}

/** Uploads a file and commits what its dry run says. */
export async function commitFile(member: Editor, csv: string, note: string | null = null) {
  const { id } = await createImport(member, { fileName: "season.csv", csv });
  const { wallets, points } = await previewImport(member, id);
  await commitImport(member, id, { wallets, points, note });
  return id;
}

/** Runs the imports of all point systems until nothing is left to do. */
export async function runImports(): Promise<void> {
  while (await runImportBatch());
}

export async function statusOf(member: Member, id: string) {
  return (await getImport(member, id)).status;
}

/** What each wallet of a point system holds. */
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
 * Puts a wallet at the most that it can hold, past the ledger: no history is that long.
 * @returns puts it back to what its events say
 */
export async function fillWallet(owner: Editor, address: `0x${string}`) {
  await grantPoints(owner, { address, points: 1, note: null });
  const setPoints = (points: number) =>
    withDatabase((db) =>
      db.execute(sql`
        update wallets set points = ${points}::bigint
        where point_system_id = ${owner.pointSystemId}
          and address = decode(${address.slice(2)}, 'hex')`),
    );
  await setPoints(TOTAL_POINTS_MAX);
  return () => setPoints(1);
}
