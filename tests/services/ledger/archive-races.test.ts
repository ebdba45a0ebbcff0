import { mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Connection, withOwnConnection } from "../../../app/db/client";
import { ledgerArchives } from "../../../app/db/schema/ledger";
import { foldActivity } from "../../../app/services/activity/activity-fold";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { foldProgram } from "../../../app/services/insights/program-fold";
import { foldPointSystem } from "../../../app/services/insights/statistics-fold";
import { writeArchive } from "../../../app/services/ledger/archive-files";
import { archiveEvents } from "../../../app/services/ledger/archives";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import { record } from "../../support/events";
import { findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { waitUntil } from "../../support/server-process";
import { other, waitForLocks } from "../../support/test-database";

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const BEFORE = ago(100);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "archives-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes a point system with an event on each of these days before today, all of them counted. */
async function createCounted(...days: number[]) {
  const { pointSystemId, operator } = await scene();
  const address = createAddress();
  const credit = (...at: number[]) =>
    record(
      pointSystemId,
      at.map((each) => ({ address, points: 1, event: null, date: ago(each) })),
    );
  await credit(...days);
  while ((await foldRanks(pointSystemId, 5_000)) > 0);
  while ((await foldActivity(pointSystemId, 5_000)) > 0);
  while ((await foldPointSystem(pointSystemId, 5_000)) > 0);
  while ((await foldProgram(pointSystemId, 5_000)) > 0);
  return { pointSystemId, operator, address, credit };
}

test("an old event that is counted while an archive ends is in one piece of the activity", async () => {
  const { pointSystemId, credit } = await createCounted(300, 20);
  const mark = "00000000-0000-4000-8000-000000000000";
  await other`
    insert into activity_marks (point_system_id, created_at, id, events)
    values (${pointSystemId}, ${ago(200)}, ${mark}, 0)`;
  // Both have to wait for the mark's row: first the archive, which removes it, then the fold.
  const [archived, folded] = await other
    .begin(async (tx) => {
      await tx`select from activity_marks where id = ${mark} for update`;
      const archive = archiveEvents(BEFORE, folder);
      await waitForLocks();
      await credit(150);
      const fold = foldActivity(pointSystemId, 5_000);
      await Promise.race([fold, waitForLocks(2)]);
      return [archive, fold] as const;
    })
    .then((each) => Promise.all(each));
  expect(archived.removed).toBe(1);
  expect(folded).toBeLessThanOrEqual(1);
  while ((await foldActivity(pointSystemId, 5_000)) > 0);
  const [pieces] = await other`
    select sum(events)::int as events from activity_marks where point_system_id = ${pointSystemId}`;
  expect(pieces?.events).toBe(2);
});

test("archives of a purged point system are not of a later one with its id", async () => {
  const { pointSystemId, operator, address } = await createCounted(300, 200);
  await archiveEvents(ago(250), folder);
  // A run that is cut off before the first removal.
  await withOwnConnection(async (db) => {
    await db.insert(ledgerArchives).values(await writeArchive(db.$client, BEFORE, folder));
  });
  await deletePointSystem(await findOwner(pointSystemId), "Alpha");
  while (await purgeDeletedPointSystem(pointSystemId));
  await loadFixture({
    pointSystems: [
      {
        ...{ id: pointSystemId, operator, name: "Alpha", slug: null },
        events: Array.from({ length: 5 }, () => ({ address, points: 7, event: null })),
      },
    ],
  });
  const verify = async () => (await verifyLedger(folder)).differences;
  expect(await verify()).toEqual([]);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ removed: 0 });
  expect(await verify()).toEqual([]);
});

test("a run that waits for its rows keeps its file fresh, so that no other run removes it", async () => {
  const own = await mkdtemp(path.join(folder, "waiting-"));
  const rows = new PassThrough();
  const unsafe = (query: string) =>
    query.startsWith("copy") ? { readable: async () => rows } : [{ events: 1 }];
  const connection = { begin: (_: string, run: (tx: object) => unknown) => run({ unsafe }) };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const writing = writeArchive(connection as unknown as Connection, BEFORE, own);
    await waitUntil(async () => (await readdir(own)).length === 1, 5_000);
    const [name = ""] = await readdir(own);
    const file = path.join(own, name);
    await utimes(file, ago(1), ago(1));
    vi.advanceTimersByTime(60_000);
    await waitUntil(async () => (await stat(file)).mtime > ago(0.5), 5_000);
    await archiveEvents(ago(20_000), own);
    expect(await readdir(own)).toEqual([name]);
    rows.end("id\n");
    const { fileName } = await writing;
    expect(await readdir(own)).toEqual([fileName]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
