import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withOwnConnection } from "../../../app/db/client";
import { ledgerArchives } from "../../../app/db/schema/ledger";
import type { Address } from "../../../app/domain/address";
import { getMember } from "../../../app/services/access/members";
import { foldActivity } from "../../../app/services/activity/activity-fold";
import { listFeed } from "../../../app/services/activity/feed";
import { listLeaderboard } from "../../../app/services/board/leaderboard";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { retryImport, undoImport } from "../../../app/services/imports/steps";
import { foldProgram } from "../../../app/services/insights/program-fold";
import { foldPointSystem } from "../../../app/services/insights/statistics-fold";
import { writeArchive } from "../../../app/services/ledger/archive-files";
import {
  archiveEvents,
  countWaitingEvents,
  vacuumEvents,
} from "../../../app/services/ledger/archives";
import { findBalance } from "../../../app/services/ledger/spending";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { updateTrigger } from "../../../app/services/point-systems/triggers";
import { linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import { call } from "../../support/call";
import { record, voidById } from "../../support/events";
import { commitFile, runImports, statusOf, toCsv } from "../../support/imports";
import { toActor } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { changeUnguarded, other } from "../../support/test-database";

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const BEFORE = ago(100);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "archives-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes a point system whose wallets have events of the last 300 days, all of them counted. */
async function createHistory(eventsADay = 1) {
  const { pointSystemId, token, operator } = await scene();
  const [row] = await other<{ id: string }[]>`select id from operators where email = ${operator}`;
  const member = await getMember(
    toActor({ id: row?.id ?? "", email: operator }),
    pointSystemId,
    "owner",
  );
  const wallets: Address[] = Array.from({ length: 5 }, createAddress);
  const events = Array.from({ length: 300 * eventsADay }, (_, i) => ({
    address: wallets[i % 5] as Address,
    points: (i % 7) + 1,
    event: "daily_login",
    date: ago(300 - i / eventsADay),
  }));
  const ids = await record(pointSystemId, events);
  const count = async () => {
    while ((await foldRanks(pointSystemId, 5_000)) > 0);
    while ((await foldActivity(pointSystemId, 5_000, 10 * eventsADay)) > 0);
    while ((await foldPointSystem(pointSystemId, 5_000)) > 0);
    while ((await foldProgram(pointSystemId, 5_000)) > 0);
  };
  const get = async (query = "") => {
    const url = `/activity?pointSystemId=${pointSystemId}${query}`;
    const { body } = await call(url, { headers: { authorization: `Bearer ${token}` } });
    return body as {
      activity: { id: string; address: string; points: number }[];
      pagination: { total: number; totalPages: number };
      archivedBefore?: string;
    };
  };
  return { pointSystemId, token, member, wallets, ids, count, get };
}

const countWaiting = async (pointSystemId: string) =>
  Array.from(
    await other<{ events: number; readers: string[] }[]>`
      select events::int, readers from count_waiting_events(${pointSystemId}, ${BEFORE})`,
  );

const verify = async () => (await verifyLedger(folder)).differences;

test("archiving moves what is older into a file, and changes no wallet, rank or total", async () => {
  const { pointSystemId, member, wallets, ids, count, get } = await createHistory();
  await count();
  const board = await listLeaderboard(pointSystemId, { page: 1, limit: 100 });
  const page = await get("&limit=100");
  expect(page).not.toHaveProperty("archivedBefore");

  const report = await archiveEvents(BEFORE, folder);
  expect(report).toMatchObject({ written: 200, removed: 200 });
  const text = gunzipSync(await readFile(path.join(folder, report.fileName ?? ""))).toString();
  expect(text.trim().split("\n").length).toBe(201);
  expect(text).toContain(ids[0]);
  expect(text).not.toContain(ids[200]);

  expect(await listLeaderboard(pointSystemId, { page: 1, limit: 100 })).toEqual(board);
  expect(await get("&limit=100")).toEqual({
    activity: page.activity,
    pagination: { ...page.pagination, total: 100, totalPages: 1 },
    archivedBefore: BEFORE.toISOString(),
  });
  const ofWallet = await get(`&address=${wallets[0]}&limit=100`);
  expect(ofWallet.activity.length).toBe(20);
  expect(ofWallet.pagination.total).toBe(20);
  expect(ofWallet.archivedBefore).toBe(BEFORE.toISOString());
  expect(
    (await listFeed(member, { address: null, trigger: null, firstDay: null, lastDay: null }, null))
      .events.length,
  ).toBe(50);

  expect(await verify()).toEqual([]);
  expect((await verifyLedger()).differences).toEqual([]);
  // The next ones go on from there.
  expect(await archiveEvents(BEFORE, folder)).toEqual({ written: 0, fileName: null, removed: 0 });
  await record(pointSystemId, [
    { address: wallets[1] as Address, points: 9, event: "daily_login", date: new Date() },
  ]);
  await count();
  expect((await get()).pagination.total).toBe(101);
  expect(await archiveEvents(ago(95.5), folder)).toMatchObject({ written: 5, removed: 5 });
  expect((await get()).pagination.total).toBe(96);
  expect(await verify()).toEqual([]);
});

test("every page of GET /activity is that of the events that are left", async () => {
  const { pointSystemId, count, get, ids } = await createHistory();
  await count();
  await archiveEvents(BEFORE, folder);
  const listed: string[] = [];
  for (let page = 1; page <= 10; page += 1) {
    listed.push(...(await get(`&limit=10&page=${page}`)).activity.map(({ id }) => id));
  }
  expect(listed).toEqual(ids.slice(200).reverse());
  const [pieces] = await other`
    select sum(events)::int as events from activity_marks where point_system_id = ${pointSystemId}`;
  expect(pieces?.events).toBe(100);
});

test("once it is vacuumed, a wallet's history reads no page of the index of events that have left the ledger", async () => {
  const { pointSystemId, wallets, count } = await createHistory(30);
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ removed: 6_000 });
  await vacuumEvents();
  const wallet = Buffer.from((wallets[0] as string).slice(2), "hex");
  const read = async () => {
    const [row] = await other<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }[]>`
      explain (analyze, buffers, format json) select * from list_events(
        ${pointSystemId}::uuid, ${wallet}, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
        '-infinity', false, false, 0, 10
      )`;
    return row?.["QUERY PLAN"][0].Plan;
  };
  // The first one makes its plan.
  await read();
  const plan = await read();
  expect(plan?.["Actual Rows"]).toBe(10);
  expect(plan?.["Shared Hit Blocks"]).toBeLessThan(50);
});

test("an event that was voided leaves with its correction, or stays with it", async () => {
  const { pointSystemId, member, ids, count, get } = await createHistory();
  await voidById(member, ids[3] as string);
  await voidById(member, ids[250] as string);
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 199, removed: 199 });
  expect((await get()).pagination.total).toBe(99);
  // Both are as old now: they leave together.
  await changeUnguarded(async (tx) => {
    await tx`
      update point_events set created_at = ${ago(120)}
      where point_system_id = ${pointSystemId} and voids = ${ids[3] as string}`;
  });
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 2, removed: 2 });
  expect((await get()).pagination.total).toBe(99);
  expect(await verify()).toEqual([]);
});

test("a cap that was set before an archive keeps what archived events counted, of linked wallets too", async () => {
  const { pointSystemId, token, member, wallets, count } = await createHistory();
  const fire = async (walletAddress: string | undefined) => {
    const { status, body } = await call("/trigger", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ triggerKey: "daily_login", walletAddress, pointSystemId }),
    });
    return status === 200 ? "credited" : body.code;
  };
  const [twice, once, later, linked] = wallets;
  for (const wallet of [twice, twice, once, later, linked, linked]) await fire(wallet);
  await changeUnguarded(async (tx) => {
    await tx`
      update point_events set created_at = ${ago(150)}
      where point_system_id = ${pointSystemId} and api_key_id is not null`;
    await tx`
      update wallets set created_at = ${ago(300)}, last_credit_at = ${ago(150)}
      where point_system_id = ${pointSystemId}`;
  });
  await fire(later);
  await linkWallets(member, {
    address: linked as Address,
    primaryAddress: wallets[4] as Address,
  });
  await count();
  const cap = { window: "ever", timeZone: "UTC", times: 2, points: null } as const;
  const fields = { name: "Daily login", points: 10, variable: null, cap };
  await updateTrigger(member, "daily_login", fields);
  expect((await archiveEvents(BEFORE, folder)).removed).toBeGreaterThanOrEqual(206);
  await unlinkWallet(member, linked as Address);
  for (const wallet of [twice, later, linked]) {
    expect(await fire(wallet)).toBe("trigger_cap_reached");
  }
  expect([await fire(once), await fire(once)]).toEqual(["credited", "trigger_cap_reached"]);
  expect(await verify()).toEqual([]);
});

test("a day of which statistics have not counted an event stays whole: no wallet is active twice on it", async () => {
  const { pointSystemId, count } = await createHistory(8);
  const listDays = async () =>
    (
      await other<{ day: string; wallets: number }[]>`
      select day::text, active_wallets::int as wallets from daily_totals where point_system_id = ${pointSystemId} order by day`
    ).map(({ day, wallets }) => `${day} ${wallets}`);
  while ((await foldRanks(pointSystemId, 5_000)) > 0);
  while ((await foldActivity(pointSystemId, 5_000, 80)) > 0);
  while ((await foldProgram(pointSystemId, 5_000)) > 0);
  // Five wallets have eight events a day.
  for (const events of [6, 1, 7]) {
    await foldPointSystem(pointSystemId, events);
    await archiveEvents(BEFORE, folder);
  }
  await count();
  for (const line of (await listDays()).slice(1, -1)) expect(line).toMatch(/ 5$/);
  expect((await archiveEvents(BEFORE, folder)).removed).toBeGreaterThan(1_000);
  expect(await verify()).toEqual([]);
});

test("events of a day that were loaded since the file was written keep that day in the ledger", async () => {
  const { pointSystemId, wallets, count } = await createHistory();
  await count();
  const load = async () => {
    const [address] = wallets as [Address];
    await record(pointSystemId, [{ address, points: 1, event: "daily_login", date: ago(200) }]);
  };
  expect(await archiveEvents(BEFORE, folder, load)).toMatchObject({ written: 200, removed: 0 });
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ removed: 201 });
  expect(await verify()).toEqual([]);
});

test("a point system that is deleted while events leave keeps none of another one in the ledger", async () => {
  const [first, next] = [await createHistory(), await createHistory()];
  for (const { count } of [first, next]) await count();
  // It is listed before it is deleted.
  const holding = other.begin(async (tx) => {
    await tx`select lock_ledger(${first.pointSystemId}::uuid)`;
    await tx`select pg_sleep(1)`;
    await tx`update point_systems set deleted_at = now() where id = ${first.pointSystemId}`;
  });
  const report = await archiveEvents(BEFORE, folder);
  await holding;
  expect(report.removed).toBeGreaterThanOrEqual(200);
  expect(await next.get()).toMatchObject({ pagination: { total: 100 } });
});

test("an event that is not counted yet stays, and the command can say what it waits for", async () => {
  const { pointSystemId, count } = await createHistory();
  while ((await foldRanks(pointSystemId, 5_000)) > 0);
  while ((await foldActivity(pointSystemId, 5_000, 10)) > 0);
  while ((await foldProgram(pointSystemId, 5_000)) > 0);
  await foldPointSystem(pointSystemId, 30);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 30, removed: 30 });
  expect(await countWaiting(pointSystemId)).toEqual([{ events: 170, readers: ["statistics"] }]);
  const all = await countWaitingEvents(BEFORE);
  expect(all.events).toBeGreaterThanOrEqual(170);
  expect([...all.readers]).toContain("statistics");
  expect(await verify()).toEqual([]);
  await count();
  expect(await countWaiting(pointSystemId)).toEqual([]);
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 170, removed: 170 });
  expect(await verify()).toEqual([]);
});

test("an event that a webhook has not said yet stays", async () => {
  const { pointSystemId, count } = await createHistory();
  await count();
  const [at] = await other<{ seq: string }[]>`
    select seq from point_events where point_system_id = ${pointSystemId} order by seq offset 19 limit 1`;
  const id = randomUUID();
  await other`
    insert into webhook_endpoints (
      point_system_id, id, url, event_types, secret_ciphertext, secret_nonce, secret_key_id, ledger_seq
    ) values (
      ${pointSystemId}, ${id}, 'https://example.com', '{points.credited}', '', '', 'k1', ${at?.seq ?? ""}
    )`;
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 20, removed: 20 });
  expect(await countWaiting(pointSystemId)).toEqual([{ events: 180, readers: ["webhooks"] }]);
  await other`update webhook_endpoints set ledger_seq = ledger_seq + 1000 where id = ${id}`;
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 180, removed: 180 });
  expect(await verify()).toEqual([]);
});

test("a run that was cut off is completed by the next one, from its file", async () => {
  const { member, ids, count, get } = await createHistory();
  await count();
  const files = await readdir(folder);
  await other`
    create function cut_off() returns trigger language plpgsql as
    $$ begin raise exception 'cut off'; end $$`;
  await other`
    create trigger cut_off before insert on opening_balances
    for each statement execute function cut_off()`;
  await expect(archiveEvents(BEFORE, folder)).rejects.toMatchObject({
    cause: { message: "cut off" },
  });
  await other`drop function cut_off cascade`;
  expect((await readdir(folder)).length).toBe(files.length + 1);
  expect((await get()).pagination.total).toBe(300);
  // The file and the ledger both have the events now: none counts twice.
  expect(await verify()).toEqual([]);
  await voidById(member, ids[7] as string);
  await count();
  // The event that was voided meanwhile stays with its correction, though the file has it.
  expect(await archiveEvents(BEFORE, folder)).toEqual({ written: 0, fileName: null, removed: 199 });
  expect((await get()).pagination.total).toBe(100);
  expect(await verify()).toEqual([]);
});

test("what a run that was killed has left of its file is removed by the next one, and no file of another run", async () => {
  const own = await mkdtemp(path.join(folder, "killed-"));
  const left = "ledger-before-20260101T000000000Z-written-20260601T000000000Z.csv.gz";
  for (const name of [`${left}.part`, `${left}.other.part`, left]) {
    await writeFile(path.join(own, name), "");
    await utimes(path.join(own, name), ago(1), ago(1));
  }
  const written = left.replace("20260601", "20260602");
  await writeFile(path.join(own, `${written}.part`), "");
  await archiveEvents(ago(20_000), own);
  expect((await readdir(own)).sort()).toEqual(
    [left, `${left}.other.part`, `${written}.part`].sort(),
  );
});

test.runIf(process.platform === "linux")(
  "an archive that cannot be written says why, and no event leaves the ledger",
  async () => {
    const { pointSystemId, count, get } = await createHistory();
    await count();
    await expect(archiveEvents(BEFORE, "/proc/self")).rejects.toThrow(
      /^The archive cannot be written to \/proc\/self: ENOENT/,
    );
    expect((await get()).pagination.total).toBe(300);
    expect(await countWaiting(pointSystemId)).toEqual([]);
    expect((await archiveEvents(BEFORE, folder)).removed).toBeGreaterThanOrEqual(200);
  },
);

test("an event that two archives hold counts once: it was voided while the first one was cut off", async () => {
  const { pointSystemId, member, ids, count } = await createHistory();
  await count();
  await withOwnConnection(async (db) => {
    await db.insert(ledgerArchives).values(await writeArchive(db.$client, ago(150.5), folder));
  });
  await voidById(member, ids[1] as string);
  await count();
  expect(await archiveEvents(ago(150.5), folder)).toMatchObject({ removed: 149, written: 0 });
  expect(await verify()).toEqual([]);
  // Months later, the correction is old too.
  await changeUnguarded(async (tx) => {
    await tx`
      update point_events set created_at = ${ago(120)}
      where point_system_id = ${pointSystemId} and voids = ${ids[1] as string}`;
  });
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ written: 52, removed: 52 });
  expect((await verifyLedger()).differences).toEqual([]);
  expect(await verify()).toEqual([]);
});

test("a wrong wallet, a changed file and a missing file are found", async () => {
  const { pointSystemId, wallets, count } = await createHistory();
  await count();
  const { fileName } = await archiveEvents(BEFORE, folder);
  const file = path.join(folder, fileName ?? "");
  const wallet = Buffer.from((wallets[2] as string).slice(2), "hex");
  await other`
    update opening_balances set points = points + 1
    where point_system_id = ${pointSystemId} and address = ${wallet}`;
  expect((await verify()).map(({ field }) => field)).toEqual(["opening points"]);
  expect((await verifyLedger()).differences.map(({ field }) => field)).toEqual(["points"]);
  await other`
    update opening_balances set points = points - 1
    where point_system_id = ${pointSystemId} and address = ${wallet}`;
  expect(await verify()).toEqual([]);

  const bytes = await readFile(file);
  await writeFile(file, Buffer.concat([bytes.subarray(0, -9), randomBytes(9)]));
  await expect(verify()).rejects.toThrow(/^The archive ledger-before-/);
  await rm(file);
  await expect(verify()).rejects.toThrow(/ is not in /);
  await writeFile(file, bytes);
  expect(await verify()).toEqual([]);
});

test("an undo whose events were archived meanwhile fails, and is not taken up again", async () => {
  const { pointSystemId, member, count } = await createHistory();
  const id = await commitFile(member, toCsv([[createAddress(), 5]]));
  await runImports();
  await changeUnguarded(async (tx) => {
    await tx`
      update point_events set created_at = ${ago(150)}
      where point_system_id = ${pointSystemId} and import_id = ${id}`;
    await tx`update imports set created_at = ${ago(150)} where id = ${id}`;
  });
  await count();
  await undoImport(member, id);
  await archiveEvents(BEFORE, folder);
  await expect(runImports()).rejects.toThrow("import_archived");
  expect(await statusOf(member, id)).toBe("undoing");
  await other`update imports set failure = 'given up' where id = ${id}`;
  await expect(retryImport(member, id)).rejects.toThrow("import_archived");
  // It would hold up the imports of the other tests.
  await other`update imports set status = 'committed' where id = ${id}`;
});

test("what archived events would be needed for is refused", async () => {
  const { pointSystemId, member, wallets, count } = await createHistory();
  const id = await commitFile(member, toCsv([[createAddress(), 5]]));
  await runImports();
  await count();
  await archiveEvents(BEFORE, folder);
  await other`update imports set created_at = ${ago(150)} where id = ${id}`;
  await expect(undoImport(member, id)).rejects.toThrow("import_archived");

  const load = (date: Date) => {
    const event = {
      address: wallets[0],
      points: 5,
      event: "daily_login",
      date: date.toISOString(),
    };
    const system = { id: pointSystemId, operator: member.actor.email, name: "Alpha", slug: null };
    return loadFixture({ pointSystems: [{ ...system, events: [event] }] });
  };
  await expect(load(ago(150))).rejects.toThrow(
    `pointSystems[0].events[0].date: is before ${BEFORE.toISOString()}: events from then are archived`,
  );
  await load(ago(50));
  expect(await verify()).toEqual([]);
});

test("an event without a date is refused where events are archived: a second load would credit it again", async () => {
  const { pointSystemId, member, wallets, count, get } = await createHistory();
  const system = { id: pointSystemId, operator: member.actor.email, name: "Alpha", slug: null };
  const event = { address: wallets[0], points: 5, event: "daily_login" };
  const events = [event, { ...event, id: randomUUID() }];
  const load = (events: object[]) => loadFixture({ pointSystems: [{ ...system, events }] });
  const recent = { ...event, points: 6 };
  await load([...events, recent]);
  await changeUnguarded(async (tx) => {
    await tx`
      update point_events set created_at = ${ago(120)}
      where point_system_id = ${pointSystemId} and created_at > ${ago(0.5)} and points = 5`;
  });
  await count();
  expect(await archiveEvents(BEFORE, folder)).toMatchObject({ removed: 202 });
  const message = `is missing: events before ${BEFORE.toISOString()} are archived, and this may be one of them`;
  await expect(load(events)).rejects.toThrow(
    `pointSystems[0].events[0].date: ${message}\npointSystems[0].events[1].date: ${message}`,
  );
  // An event that the ledger still has needs no date.
  await load([{ ...event, date: ago(50).toISOString() }, recent]);
  await count();
  expect((await get()).pagination.total).toBe(102);
  expect(await verify()).toEqual([]);
});

test("a file's spends find the points of archived events, and no more than those", async () => {
  const { pointSystemId, member, wallets, count } = await createHistory();
  const [address] = wallets as [Address];
  await count();
  const { earned } = (await findBalance(pointSystemId, address)) ?? { earned: 0 };
  await archiveEvents(BEFORE, folder);
  const system = { id: pointSystemId, operator: member.actor.email, name: "Alpha", slug: null };
  const spend = (points: number, reason: string, date: Date) =>
    loadFixture({
      pointSystems: [
        { ...system, spends: [{ address, points, reason, date: date.toISOString() }] },
      ],
    });
  await spend(50, "Mug", ago(99));
  expect(await findBalance(pointSystemId, address)).toMatchObject({ balance: earned - 50 });
  await expect(spend(earned, "Car", new Date())).rejects.toThrow(
    "is more than the wallet had left",
  );
  await spend(earned - 50, "Shirt", new Date());
  expect(await findBalance(pointSystemId, address)).toMatchObject({ balance: 0 });
  expect(await verify()).toEqual([]);
});

test("the last 90 days are refused", async () => {
  await expect(archiveEvents(ago(89.9), folder)).rejects.toThrow(
    "The last 90 days stay in the ledger: name an earlier date",
  );
});

test("an archive keeps the boost of its events, and a file of a version without boosts stays readable", async () => {
  const { pointSystemId, ids, count } = await createHistory();
  await changeUnguarded(async (tx) => {
    // It added 2 points.
    await tx`update point_events set base_points = 1, boost_factor = 1.5
      where point_system_id = ${pointSystemId} and id = ${ids[1] as string}`;
  });
  await count();
  const { fileName } = await archiveEvents(BEFORE, folder);
  const file = path.join(folder, fileName ?? "");
  const text = gunzipSync(await readFile(file)).toString();
  expect(text.split("\n").filter((line) => line.endsWith(",1,1.50,")).length).toBe(1);
  expect(await verify()).toEqual([]);

  const older = gzipSync(text.replace(/(,[^,\n]*){3}$/gm, ""));
  const digest = createHash("sha256").update(older).digest();
  await writeFile(file, older);
  await other`update ledger_archives set digest = ${digest} where file_name = ${fileName ?? ""}`;
  expect(await verify()).toEqual([]);
});
