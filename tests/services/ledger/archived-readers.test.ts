import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withOwnConnection } from "../../../app/db/client";
import { ledgerArchives } from "../../../app/db/schema/ledger";
import type { Address } from "../../../app/domain/address";
import { foldActivity } from "../../../app/services/activity/activity-fold";
import { fillBoard } from "../../../app/services/board/board-fill";
import { createBoard } from "../../../app/services/board/boards";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { foldProgram } from "../../../app/services/insights/program-fold";
import { foldPointSystem } from "../../../app/services/insights/statistics-fold";
import { writeArchive } from "../../../app/services/ledger/archive-files";
import { archiveEvents } from "../../../app/services/ledger/archives";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { foldStreaks } from "../../../app/services/progress/streak-fold";
import { createStreak } from "../../../app/services/progress/streaks";
import { foldTiers } from "../../../app/services/progress/tier-changes";
import { setTiers } from "../../../app/services/progress/tiers";
import { createWebhook } from "../../../app/services/webhooks/endpoints";
import { record } from "../../support/events";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { findOwner } from "../../support/operators";
import { listSaid } from "../../support/said-events";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const BEFORE = ago(100);

// Secrets of webhooks are encrypted with them.
beforeAll(() => useGiftCardKeys(createGiftCardKey("k1")));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "archives-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function createWorld() {
  const s = await scene();
  const { pointSystemId } = s;
  const owner = await findOwner(pointSystemId);
  return {
    ...s,
    owner,
    /** Records credits of one point, some milliseconds apart. */
    credit: (address: Address, days: number, times = 1) =>
      record(
        pointSystemId,
        Array.from({ length: times }, (_, i) => ({
          ...{ address, points: 1, event: "daily_login" },
          date: new Date(ago(days).getTime() + i),
        })),
      ),
    /** Lets every reader read the ledger that all point systems have. */
    count: async () => {
      while ((await foldRanks(pointSystemId, 5_000)) > 0);
      while ((await foldActivity(pointSystemId, 5_000, 10)) > 0);
      while ((await foldPointSystem(pointSystemId, 5_000)) > 0);
      while ((await foldProgram(pointSystemId, 5_000)) > 0);
    },
    /** Creates a season of the last 250 days. */
    createSeason: async () => {
      const season = { startsAt: ago(250), endsAt: ago(-10) };
      await createBoard(owner, {
        ...{ kind: "season", slug: "long", name: "Long", timeZone: "UTC", isPublic: true, season },
      });
      const [window] = await other<{ id: string; isReady: boolean }[]>`
        select id, is_ready as "isReady" from board_windows where point_system_id = ${pointSystemId}`;
      expect(window?.isReady).toBe(false);
      return { pointSystemId, windowId: window?.id ?? "" };
    },
    readSeason: async () =>
      (await s.get("/leaderboard", { board: "season:long" })).body.leaderboard.map(
        ({ points }: { points: number }) => points,
      ),
  };
}

const differencesOf = async (id: string) =>
  (await verifyLedger(folder)).differences.filter(({ pointSystemId }) => pointSystemId === id);

/** Writes an archive as a run does that ends before the first event leaves. */
const writeWithoutRemoval = () =>
  withOwnConnection(async (db) => {
    await db.insert(ledgerArchives).values(await writeArchive(db.$client, BEFORE, folder));
  });

const signal = new AbortController().signal;

test("a season that is being filled keeps its events from the archive until it is complete", async () => {
  const { pointSystemId, credit, count, createSeason, readSeason } = await createWorld();
  await credit(createAddress(), 200, 6_000);
  await credit(createAddress(), 20, 5_000);
  await count();
  const window = await createSeason();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 0, removed: 0 });
  await fillBoard(window, signal);
  expect(await readSeason()).toEqual([6_000, 5_000]);
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 6_000, removed: 6_000 });
  expect(await readSeason()).toEqual([6_000, 5_000]);
  expect(await differencesOf(pointSystemId)).toEqual([]);
});

test("a season that is created after an archive was cut off keeps the events that its file names", async () => {
  const { pointSystemId, credit, count, createSeason, readSeason } = await createWorld();
  await credit(createAddress(), 200, 6_000);
  await credit(createAddress(), 20, 5_000);
  await count();
  await writeWithoutRemoval();
  const window = await createSeason();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 0, removed: 0 });
  await fillBoard(window, signal);
  expect(await readSeason()).toEqual([6_000, 5_000]);
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 6_000, removed: 6_000 });
  expect(await differencesOf(pointSystemId)).toEqual([]);
});

const STREAK = { key: "s", name: "S", triggerKeys: null, timeZone: "UTC", bonuses: [] };

test("an event stays until each streak has counted it", async () => {
  const { pointSystemId, owner, credit, count, get } = await createWorld();
  await createStreak(owner, STREAK);
  const wallet = createAddress();
  for (const days of [203, 202, 201]) await credit(wallet, days);
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 0, removed: 0 });
  await foldStreaks(pointSystemId, 2);
  await createStreak(owner, { ...STREAK, key: "later" });
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 0, removed: 0 });
  while ((await foldStreaks(pointSystemId, 5_000)) > 0);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 3, removed: 3 });
  const { body } = await get("/wallet", { address: wallet, include: "streaks" });
  expect(body.streaks).toMatchObject([{ longest: 3 }, { longest: 3 }]);
});

test("a streak that is created after an archive was cut off counts the events that its file names", async () => {
  const { pointSystemId, owner, credit, count, get } = await createWorld();
  const wallet = createAddress();
  for (const days of [203, 202, 201]) await credit(wallet, days);
  await count();
  await writeWithoutRemoval();
  await createStreak(owner, STREAK);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 0, removed: 0 });
  while ((await foldStreaks(pointSystemId, 5_000)) > 0);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 3, removed: 3 });
  const { body } = await get("/wallet", { address: wallet, include: "streaks" });
  expect(body.streaks).toMatchObject([{ longest: 3 }]);
  expect(await differencesOf(pointSystemId)).toEqual([]);
});

test("an event stays until its change of a tier is said, where a webhook listens", async () => {
  const { pointSystemId, owner, credit, count } = await createWorld();
  await setTiers(owner, [{ name: "Bronze", pointsMin: 10, color: "#808080" }]);
  await credit(createAddress(), 200, 20);
  await count();
  await createWebhook(owner, {
    ...{ id: randomUUID(), url: new URL("https://example.com/hook") },
    eventTypes: ["wallet.tier_changed"],
  });
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 0, removed: 0 });
  while ((await foldTiers(pointSystemId, 5_000)) > 0);
  expect(await listSaid({ pointSystemId })).toHaveLength(1);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 20, removed: 20 });
});

test("tiers for which no webhook listens hold no event up", async () => {
  const { owner, credit, count } = await createWorld();
  await setTiers(owner, [{ name: "Bronze", pointsMin: 10, color: "#808080" }]);
  await credit(createAddress(), 200, 20);
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 20, removed: 20 });
});

test("a webhook that is off holds no event up, unless it is switched on before the event has left", async () => {
  const { pointSystemId, credit, count } = await createWorld();
  await credit(createAddress(), 200, 30);
  await count();
  const id = randomUUID();
  await other`
    insert into webhook_endpoints (
      point_system_id, id, url, event_types, secret_ciphertext, secret_nonce, secret_key_id, ledger_seq, off_at
    ) select ${pointSystemId}, ${id}, 'https://example.com', '{points.credited}', '', '', 'k1', min(seq) + 5, now()
    from point_events where point_system_id = ${pointSystemId}`;
  await other`
    insert into webhook_deliveries (point_system_id, endpoint_id, seq, type, happened_at, seq_to)
    select ${pointSystemId}, ${id}, min(seq), 'points.credited', now(), min(seq) + 5
    from point_events where point_system_id = ${pointSystemId}`;
  await writeWithoutRemoval();
  const turn = (offAt: Date | null) =>
    other`update webhook_endpoints set off_at = ${offAt} where id = ${id}`;
  await turn(null);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 0, removed: 0 });
  await turn(new Date());
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 30, removed: 30 });
  const deliveries = await other`select state from webhook_deliveries where endpoint_id = ${id}`;
  expect(deliveries).toEqual([{ state: "skipped" }]);
  expect(await differencesOf(pointSystemId)).toEqual([]);
});

test("a delivery that waits at a webhook that is off keeps the events that stay", async () => {
  const { pointSystemId, credit, count } = await createWorld();
  await credit(createAddress(), 200, 10);
  await credit(createAddress(), 110, 5);
  await count();
  const id = randomUUID();
  await other`
    insert into webhook_endpoints (
      point_system_id, id, url, event_types, secret_ciphertext, secret_nonce, secret_key_id, ledger_seq, off_at
    ) select ${pointSystemId}, ${id}, 'https://example.com', '{points.credited}', '', '', 'k1', max(seq), now()
    from point_events where point_system_id = ${pointSystemId}`;
  await other`
    insert into webhook_deliveries (point_system_id, endpoint_id, seq, type, happened_at, seq_to)
    select ${pointSystemId}, ${id}, min(seq), 'points.credited', now(), max(seq)
    from point_events where point_system_id = ${pointSystemId}`;
  expect(await archiveEvents(ago(150), folder)).toMatchObject({ removed: 10 });
  const listStates = () => other`select state from webhook_deliveries where endpoint_id = ${id}`;
  expect(await listStates()).toEqual([{ state: "waiting" }]);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ removed: 5 });
  expect(await listStates()).toEqual([{ state: "skipped" }]);
});
