import { expect, test } from "vitest";
import { fillBoard, queueAbandonedFills } from "../../../app/services/board/board-fill";
import { createBoard } from "../../../app/services/board/boards";
import { getProgram } from "../../../app/services/insights/program";
import { foldProgram } from "../../../app/services/insights/program-fold";
import { record } from "../../support/events";
import { createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { countRowsRead, other, PLANNED_ROWS, waitForLocks } from "../../support/test-database";

const START = new Date("2026-03-28T20:00:00Z");

test("an event that comes while others are counted is counted once", async () => {
  const { pointSystemId } = await createOwner();
  const boost = { basePoints: 10, factor: 2.5 };
  const event = { address: createAddress(), points: 25, event: "login", date: START, boost };
  await record(pointSystemId, [event]);
  let folding = Promise.resolve(0);
  await other.begin(async (tx) => {
    // The fold has found its events, and waits for the figures.
    await tx`lock table daily_totals in access exclusive mode`;
    folding = foldProgram(pointSystemId, 10);
    await waitForLocks();
    await record(pointSystemId, [event]);
  });
  await folding;
  while ((await foldProgram(pointSystemId, 10)) > 0);
  const days = await other`
    select boost_points::int as points from daily_totals where point_system_id = ${pointSystemId}`;
  expect(days).toEqual([{ points: 30 }]);
});

test("of a season without a total, the figures go on without reading its wallets, and a job adds them up", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const event = { points: 5, event: "login", date: START };
  await record(
    pointSystemId,
    Array.from({ length: 300 }, () => ({ ...event, address: createAddress() })),
  );
  const season = { startsAt: new Date("2026-03-01"), endsAt: new Date("2100-01-01") };
  const board = { kind: "season", name: "Spring", timeZone: "UTC", isPublic: true } as const;
  await createBoard(owner, { ...board, slug: "spring", season });
  while ((await foldProgram(pointSystemId, 1_000)) > 0);
  const [window] = await other<{ id: string }[]>`
    select id from board_windows where point_system_id = ${pointSystemId}`;
  const windowId = window?.id ?? "";
  // A season of the release before has none.
  await other`delete from season_totals where point_system_id = ${windowId}`;
  await record(pointSystemId, [{ ...event, address: createAddress() }]);
  const folded = await other.begin((tx) =>
    countRowsRead(tx, "wallets", () => tx`select fold_program(${pointSystemId}, 1000) as entries`),
  );
  expect([...folded.answer]).toEqual([{ entries: 1 }]);
  expect(folded.rows).toBeLessThan(PLANNED_ROWS);
  const read = async () => (await getProgram(pointSystemId, 12)).seasons;
  expect(await read()).toMatchObject([{ wallets: 301, points: null, topShare: null }]);
  await queueAbandonedFills();
  const [job] = await other<{ data: Parameters<typeof fillBoard>[0] }[]>`
    select data from jobs where queue = 'fill-board' and key = ${windowId}`;
  expect(job?.data).toEqual({ pointSystemId, windowId });

  // Another job was about to add them up, and is given up.
  let filling = Promise.resolve();
  const error = new Error("given up");
  await other
    .begin(async (tx) => {
      await tx`insert into season_totals (point_system_id, points, after_seq) values (${windowId}, 0, 0)`;
      filling = fillBoard(job?.data ?? { pointSystemId, windowId }, new AbortController().signal);
      await waitForLocks();
      await record(pointSystemId, [{ ...event, address: createAddress() }]);
      expect(await foldProgram(pointSystemId, 1_000)).toBe(0);
      throw error;
    })
    .catch((thrown: unknown) => expect(thrown).toBe(error));
  await filling;
  while ((await foldProgram(pointSystemId, 1_000)) > 0);
  expect(await read()).toMatchObject([{ wallets: 302, points: 302 * 5 }]);
});

test("a fold looks at the past windows of boards once, however many events it counts", async () => {
  const owner = await createOwner();
  const { pointSystemId } = owner;
  const board = { name: "Board", timeZone: "UTC", isPublic: true } as const;
  await createBoard(owner, { ...board, kind: "daily", slug: null, season: null });
  const season = { startsAt: new Date("2026-03-01"), endsAt: new Date("2100-01-01") };
  await createBoard(owner, { ...board, kind: "season", slug: "spring", season });
  await other`
    insert into board_windows (point_system_id, board_id, label, starts_at, ends_at, place, closed_seq, is_settled)
    select point_system_id, board_id, 'past ' || i, starts_at - interval '1 day' * i, ends_at - interval '1 day' * i, 1, 0, true
    from board_windows cross join generate_series(1, 300) i
    where point_system_id = ${pointSystemId} and label <> ''`;
  const event = { points: 5, event: "login", date: START };
  await record(
    pointSystemId,
    Array.from({ length: 50 }, () => ({ ...event, address: createAddress() })),
  );
  const { rows } = await other.begin((tx) =>
    countRowsRead(tx, "board_windows", () => tx`select fold_program(${pointSystemId}, 1000)`),
  );
  expect(rows).toBeLessThan(10);
  expect((await getProgram(pointSystemId, 12)).seasons).toMatchObject([{ points: 250 }]);
});
