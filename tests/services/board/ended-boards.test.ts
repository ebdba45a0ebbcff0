import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createBoard, endBoard } from "../../../app/services/board/boards";
import { closeEndedBoards } from "../../../app/services/board/ended-boards";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

async function createScene() {
  const s = await scene({ trigger: { points: 3 } });
  const { pointSystemId } = s;
  await other`
    insert into webhook_endpoints (
      point_system_id, id, url, event_types, secret_ciphertext, secret_nonce, secret_key_id, ledger_seq
    )
    values (${pointSystemId}, ${randomUUID()}, 'https://example.com/', '{board.ended}', '', '', '', 0)`;
  return {
    ...s,
    owner: await findOwner(pointSystemId),
    readSaid: () =>
      other<{ data: { board: string; wallets: number } }[]>`
        select data from webhook_deliveries where point_system_id = ${pointSystemId} order by created_at`,
    /** Lets the open windows end now, after everything that was credited. */
    passEnd: async () => {
      await other`
        update board_windows
        set ends_at = statement_timestamp() + interval '5 ms', starts_at = least(starts_at, now() - interval '1 day')
        where point_system_id = ${pointSystemId} and closed_seq is null`;
      await other`select pg_sleep(0.02)`;
    },
  };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

test("a season that ends is said to webhooks once, though nothing is credited after it and two workers look", async () => {
  const { owner, fire, passEnd, readSaid, get } = await createScene();
  const season = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };
  await createBoard(owner, {
    ...{ kind: "season", slug: "one", name: "One", timeZone: "UTC", isPublic: true, season },
  });
  for (let i = 0; i < 3; i += 1) await fire({ walletAddress: createAddress() });
  await closeEndedBoards();
  expect(await readSaid()).toEqual([]);
  await passEnd();
  await Promise.all([closeEndedBoards(), closeEndedBoards()]);
  await closeEndedBoards();
  const [said, ...others] = await readSaid();
  expect(others).toEqual([]);
  expect(said?.data).toMatchObject({
    ...{ board: "season:one", name: "One", startsAt: "2020-01-01T00:00:00.000Z", wallets: 3 },
  });
  await fire({ walletAddress: createAddress() });
  const { body } = await get("/leaderboard", { board: "season:one" });
  expect(body.pagination.total).toBe(3);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a week in which nothing was credited is not said, and the next one opens", async () => {
  const { pointSystemId, owner, fire, passEnd, readSaid } = await createScene();
  await createBoard(owner, {
    ...{
      kind: "weekly",
      slug: null,
      name: "Weekly",
      timeZone: "UTC",
      isPublic: true,
      season: null,
    },
  });
  const relabel = () => other`
    update board_windows set label = '2020-W0' || (select count(*) from board_windows where point_system_id = ${pointSystemId})
    where point_system_id = ${pointSystemId} and closed_seq is null`;
  await passEnd();
  await relabel();
  await closeEndedBoards();
  expect(await readSaid()).toEqual([]);
  await fire({ walletAddress: createAddress() });
  await foldRanks(pointSystemId);
  await passEnd();
  await relabel();
  await closeEndedBoards();
  expect((await readSaid()).map(({ data }) => [data.board, data.wallets])).toEqual([
    ["weekly:2020-W02", 1],
  ]);
});

test("a board that an operator ends is said once its credits are counted", async () => {
  const { pointSystemId, owner, fire, readSaid } = await createScene();
  await createBoard(owner, {
    ...{
      kind: "weekly",
      slug: null,
      name: "Weekly",
      timeZone: "UTC",
      isPublic: true,
      season: null,
    },
  });
  await fire({ walletAddress: createAddress() });
  await endBoard(owner, ":weekly");
  expect(await readSaid()).toEqual([]);
  await foldRanks(pointSystemId);
  expect((await readSaid()).map(({ data }) => data.wallets)).toEqual([1]);
});

test("a season that has ended leaves its place to a new board, though nothing was credited after it", async () => {
  const { owner, passEnd, readSaid } = await createScene();
  const season = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };
  const create = (slug: string) =>
    createBoard(owner, {
      ...{ kind: "season", slug, name: slug, timeZone: "UTC", isPublic: true, season },
    });
  for (let i = 0; i < 10; i += 1) await create(`season-${i}`);
  await expect(create("next")).rejects.toThrow("too_many_boards");
  await passEnd();
  await create("next");
  await closeEndedBoards();
  expect(await readSaid()).toHaveLength(10);
  expect((await verifyLedger()).differences).toEqual([]);
});

test("a locked point system and one whose boards cannot be closed leave those of others alone", async () => {
  const scenes = await Promise.all([createScene(), createScene(), createScene()]);
  const [locked, failing, sound] = scenes as [Scene, Scene, Scene];
  const season = { startsAt: new Date("2020-01-01"), endsAt: new Date("2100-01-01") };
  for (const { owner, fire, passEnd } of scenes) {
    await createBoard(owner, {
      ...{ kind: "season", slug: "one", name: "One", timeZone: "UTC", isPublic: true, season },
    });
    await fire({ walletAddress: createAddress() });
    await passEnd();
  }
  await other.begin(async (tx) => {
    await tx`select lock_ledger(${locked.pointSystemId}::uuid)`;
    await tx`select from board_windows where point_system_id = ${failing.pointSystemId} for update`;
    const closing = closeEndedBoards();
    await expect(closing).rejects.toMatchObject({
      errors: [
        { message: `Closing the ended boards of point system ${failing.pointSystemId} failed` },
      ],
    });
  });
  expect(await sound.readSaid()).toHaveLength(1);
  expect(await locked.readSaid()).toEqual([]);
  await closeEndedBoards();
  for (const { readSaid } of [locked, failing]) expect(await readSaid()).toHaveLength(1);
});
