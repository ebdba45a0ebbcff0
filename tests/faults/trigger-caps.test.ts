import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterEach, expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import {
  createDataDir,
  fireOverHttp,
  runCommand,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Starts two serving processes with a trigger that credits a wallet once a day. */
async function startTwo() {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const [system] = SMALL_FIXTURE.file.pointSystems;
  const [trigger] = system.triggers;
  const cap = { window: "daily", timeZone: "Europe/Berlin", times: 1 };
  const file = {
    ...SMALL_FIXTURE.file,
    pointSystems: [{ ...system, triggers: [{ ...trigger, cap }] }],
  };
  const start = () => startServerProcess({ dataDir, env: { WEB_CONCURRENCY: "2" } });
  const server = await start();
  await seed(dataDir, file);
  return { dataDir, server, start };
}

/** Reads the most credits that a wallet has in a day of Berlin. */
async function readMost(dataDir: string) {
  const cluster = await holdEmbeddedCluster({ dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  const rows = await sql<{ wallets: number; most: number }[]>`
    select count(distinct address)::int as wallets, max(credits)::int as most from (
      select address, count(*) as credits from point_events where event = 'daily_login'
      group by address, date_trunc('day', created_at at time zone 'Europe/Berlin')
    ) days`;
  await sql.end();
  await cluster.release();
  return rows[0];
}

const createWallet = () => `0x${randomBytes(20).toString("hex")}`;

test("of 400 calls at once to two processes, a cap of one a day credits exactly one", async () => {
  const { dataDir, server } = await startTwo();
  cleanUps.push(() => server.end("SIGTERM"));
  const wallet = createWallet();
  const answers = await Promise.all(
    Array.from({ length: 400 }, () => fireOverHttp(server.url, wallet)),
  );
  const codes = await Promise.all(
    answers.map(async (answer) => (await answer.json()).code ?? answer.status),
  );
  const serving = new Set(
    server.logLines().flatMap((line) => (line.route === "/trigger" ? [line.pid] : [])),
  );
  await server.end("SIGTERM");
  expect(serving.size).toBe(2);
  expect(new Set(codes)).toEqual(new Set([200, "trigger_cap_reached"]));
  // A test that runs over midnight has a credit a day.
  expect(await readMost(dataDir)).toEqual({ wallets: 1, most: 1 });
});

test("kill -9 under load lets no wallet past its cap, and loses no credit that was answered", async () => {
  const { dataDir, server: first, start } = await startTwo();
  let server = first;
  cleanUps.push(() => server.end("SIGTERM"));
  const credited = new Set<string>();
  let isOver = false;
  const wallets = Array.from({ length: 400 }, createWallet);
  const callers = Array.from({ length: 24 }, async (_, caller) => {
    for (let n = 0; !isOver; n += 1) {
      const wallet = wallets[(caller * 7 + n) % wallets.length] as string;
      const key = randomUUID();
      const answer = await fireOverHttp(server.url, wallet, key).catch(() => null);
      if (answer?.status === 200) credited.add(wallet);
      await answer?.text().catch(() => "");
      if (!answer) await sleep(20);
    }
  });
  for (let round = 0; round < 3; round += 1) {
    const before = credited.size;
    while (credited.size < Math.min(before + 60, wallets.length)) await sleep(50);
    await server.end("SIGKILL");
    server = await start();
  }
  while (credited.size < wallets.length) {
    const rest = wallets.filter((wallet) => !credited.has(wallet));
    for (const wallet of rest) {
      const answer = await fireOverHttp(server.url, wallet);
      // A credit without an answer took the wallet's place.
      if (answer.status === 200 || answer.status === 429) credited.add(wallet);
    }
  }
  isOver = true;
  await Promise.all(callers);
  // It fails for any difference.
  await runCommand(["ledger-verify"], { DATA_DIR: dataDir });
  await server.end("SIGTERM");
  expect(await readMost(dataDir)).toEqual({ wallets: 400, most: 1 });
});
