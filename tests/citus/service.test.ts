import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase } from "../../app/db/client";
import { ranksFold } from "../../app/services/board/rank-counts";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { openWebhooks } from "../../app/services/webhooks/call";
import { createWebhook } from "../../app/services/webhooks/endpoints";
import build from "../setup/build";
import { toUrl } from "../support/citus";
import { reopenDatabase, useNewDatabase } from "../support/citus-database";
import { createGiftCardKey, useGiftCardKeys } from "../support/gift-cards";
import { commitFile, statusOf, toCsv } from "../support/imports";
import { findOwner } from "../support/operators";
import { copyPackages, npmRun, unpackRelease } from "../support/release";
import { createAddress } from "../support/scene";
import { cleanUps } from "../support/seeded-server";
import {
  createDataDir,
  fireOverHttp,
  SMALL_FIXTURE,
  startServerProcess,
  startWorkerProcess,
  waitUntil,
} from "../support/server-process";
import { startReceiver } from "../support/webhook-receiver";

const { pointSystemId, token, wallet } = SMALL_FIXTURE;
const CREDITS = 300;

let installed: string;
beforeAll(async () => {
  await build();
  installed = await unpackRelease();
  copyPackages(installed);
}, 240_000);
afterAll(() => rmSync(path.dirname(installed), { recursive: true, force: true }));

test("a release without development packages distributes a database and serves it, and its worker does the work", async () => {
  const address = await useNewDatabase();
  await loadFixture(SMALL_FIXTURE.file);
  await closeDatabase();
  const dataDir = await createDataDir({ isEmpty: true });
  cleanUps.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const key = createGiftCardKey("k1");
  const env = {
    DATABASE_URL: toUrl(address),
    DATA_DIR: dataDir,
    GIFT_CARD_KEYS: key,
    WEBHOOK_ALLOW_PRIVATE: "127.0.0.1",
  };
  expect(await npmRun(installed, env, "db:distribute")).toMatch(
    /By point systems: point_events, 1 rows[\s\S]*127\.0\.0\.1:\d+ has 2 shards/,
  );

  await reopenDatabase(address);
  useGiftCardKeys(key);
  openWebhooks({ WEBHOOK_ALLOW_PRIVATE: ["127.0.0.1"] });
  const receiver = await startReceiver();
  cleanUps.push(() => receiver.close());
  const owner = await findOwner(pointSystemId);
  await createWebhook(owner, {
    id: randomUUID(),
    url: new URL(receiver.url),
    eventTypes: ["points.credited"],
  });
  const server = await startServerProcess({
    ...{ dataDir, folder: installed, program: "app/commands/start.mjs" },
    env: { ...env, WORKER: "off" },
  });
  cleanUps.push(() => server.end("SIGTERM"));
  const wallets = Array.from({ length: CREDITS }, createAddress);
  const answers = await Promise.all(wallets.map((each) => fireOverHttp(server.url, each)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const imported = Array.from({ length: 50 }, createAddress);
  const importId = await commitFile(owner, toCsv(imported.map((each) => [each, 7])));
  expect((await ranksFold.measure()).tails).not.toEqual([]);

  const worker = await startWorkerProcess({
    ...{ folder: installed, program: "app/commands/worker.mjs", env },
  });
  cleanUps.push(() => worker.end("SIGTERM"));
  await waitUntil(async () => (await statusOf(owner, importId)) === "committed", 30_000);
  const delivered = () =>
    receiver.received.flatMap(({ data }) => data.credits ?? []).map((credit) => credit.address);
  await waitUntil(() => wallets.every((each) => delivered().includes(each)), 30_000);
  await waitUntil(async () => (await ranksFold.measure()).tails.length === 0, 30_000);

  const board = await fetch(
    `${server.url}/leaderboard?${new URLSearchParams({ pointSystemId, limit: "100" })}`,
    { headers: { Authorization: `Bearer ${token}` } },
  );
  const { leaderboard, pagination } = await board.json();
  expect(pagination.total).toBe(1 + CREDITS + imported.length);
  expect(leaderboard.map((row: { address: string }) => row.address)).toEqual([
    wallet,
    ...wallets.sort().slice(0, 99),
  ]);
  expect(await npmRun(installed, env, "ledger:verify")).toContain(
    `${1 + CREDITS + imported.length} events: all match the events`,
  );
  expect(server.logLines().filter(({ level }) => level === "error")).toEqual([]);
});
