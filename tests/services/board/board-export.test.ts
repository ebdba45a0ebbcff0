import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { exportBoard } from "../../../app/services/board/board-export";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import type { WalletEntry } from "../../../app/services/board/wallets";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { createOwner, failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { countEntriesRead } from "../../support/test-database";

const collect = async <Row>(rows: AsyncIterable<Row>) => {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
};

test.each([
  ["thousands of ties", 4],
  ["nothing but ties", 1],
])(
  "an exported board with %s has every wallet once in the board's order, and reads each once",
  async (_, different) => {
    const { pointSystemId } = await createOwner();
    await withDatabase((db) =>
      db.execute(sql`
      insert into wallets (point_system_id, address, points, events)
      select ${pointSystemId}, decode(lpad(to_hex(i * 7919 % 12007), 40, '0'), 'hex'), i % ${different}, 1
      from generate_series(1, 12000) i`),
    );
    let rows: WalletEntry[] = [];
    const read = await countEntriesRead("wallets", async () => {
      rows = await collect(await exportBoard(pointSystemId));
    });
    expect(read).toBeLessThan(12_500);
    expect(rows.length).toBe(12_000);
    expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, i) => i + 1));
    const isOrdered = rows.every((row, i) => {
      const before = rows[i - 1];
      if (!before) return true;
      const isTied = before.points === row.points;
      return isTied ? before.address < row.address : before.points > row.points;
    });
    expect(isOrdered).toBe(true);
  },
);

test("an exported board is the leaderboard's, without blacklisted wallets", async () => {
  const owner = await createOwner();
  for (const points of [5, 9, 7]) {
    await grantPoints(owner, { address: createAddress(), points, note: null });
  }
  const { leaderboard } = await listLeaderboard(owner.pointSystemId, { page: 1, limit: 10 });
  const [first] = leaderboard;
  expect(await collect(await exportBoard(owner.pointSystemId))).toEqual(leaderboard);
  await addToBlacklist(owner, [{ address: first?.address ?? createAddress(), reason: null }]);
  expect(
    (await collect(await exportBoard(owner.pointSystemId))).map(({ points }) => points),
  ).toEqual([7, 5]);
});

test("a board that is not there is not exported", async () => {
  const { pointSystemId } = await createOwner();
  const refused = await failureOf(exportBoard(pointSystemId, { key: "nothing", label: null }));
  expect(refused.code).toBe("board_not_found");
});
