import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { exportBoard } from "../../../app/services/board/board-export";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { grantPoints } from "../../../app/services/ledger/grants";
import { createOwner, failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";

const collect = async <Row>(rows: AsyncIterable<Row>) => {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
};

test("an exported board has every wallet once in the board's order, across its batches and ties", async () => {
  const { pointSystemId } = await createOwner();
  // 12,000 wallets with 3 points at most: thousands are tied where one batch ends.
  await withDatabase((db) =>
    db.execute(sql`
      insert into wallets (point_system_id, address, points, events)
      select ${pointSystemId}, decode(lpad(to_hex(i * 7919 % 12007), 40, '0'), 'hex'), i % 4, 1
      from generate_series(1, 12000) i`),
  );
  const rows = await collect(await exportBoard(pointSystemId));
  expect(rows.length).toBe(12_000);
  expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, i) => i + 1));
  const isOrdered = rows.every((row, i) => {
    const before = rows[i - 1];
    if (!before) return true;
    const isTied = before.points === row.points;
    return isTied ? before.address < row.address : before.points > row.points;
  });
  expect(isOrdered).toBe(true);
});

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
