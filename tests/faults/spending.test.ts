import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import {
  createDataDir,
  runCommand,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const { token, wallet, pointSystemId } = SMALL_FIXTURE;
const EARNED = 100;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Makes a data folder in which the wallet has earned points, and a function that starts servers on it. */
async function prepare() {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const start = () => startServerProcess({ dataDir, env: { WEB_CONCURRENCY: "2" } });
  const server = await start();
  const [system] = SMALL_FIXTURE.file.pointSystems;
  const events = [{ id: randomUUID(), address: wallet, points: EARNED, event: null }];
  await seed(dataDir, { ...SMALL_FIXTURE.file, pointSystems: [{ ...system, events }] });
  return { dataDir, server, start };
}

const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };

function spend(url: string, points: number, idempotencyKey?: string): Promise<Response> {
  return fetch(`${url}/spend`, {
    method: "POST",
    headers: { ...headers, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) },
    body: JSON.stringify({ walletAddress: wallet, pointSystemId, points, reason: "Ticket" }),
  });
}

async function readBalance(url: string) {
  const query = new URLSearchParams({ pointSystemId, address: wallet });
  return (await fetch(`${url}/balance?${query}`, { headers })).json();
}

test("of 400 spends at once to two processes, exactly those succeed that fit into the balance", async () => {
  const { dataDir, server } = await prepare();
  cleanUps.push(() => server.end("SIGTERM"));
  const answers = await Promise.all(
    Array.from({ length: 400 }, async (_, n) => {
      // On a busy machine a call may wait past its deadline: it is sent again with its key, as the guide says.
      let answer = await spend(server.url, 1 + (n % 3), `order-${n}`);
      while (answer.status === 503) answer = await spend(server.url, 1 + (n % 3), `order-${n}`);
      const body = await answer.json();
      return { status: answer.status, points: body.pointsSpent ?? 0, code: body.code };
    }),
  );
  const serving = new Set(
    server.logLines().flatMap((line) => (line.route === "/spend" ? [line.pid] : [])),
  );
  expect(serving.size).toBe(2);
  expect(new Set(answers.map(({ status, code }) => code ?? status))).toEqual(
    new Set([200, "insufficient_points"]),
  );
  const spent = answers.reduce((sum, { points }) => sum + points, 0);
  expect(await readBalance(server.url)).toEqual({
    ...{ address: wallet, earned: EARNED, spent, balance: EARNED - spent },
  });
  // Points of one fit until nothing is left.
  expect(spent).toBe(EARNED);
  await runCommand(["ledger-verify"], { DATA_DIR: dataDir });
});

test("kill -9 under load spends nothing twice that is sent again with its key, and loses no answered spend", async () => {
  const { dataDir, server: first, start } = await prepare();
  let server = first;
  cleanUps.push(() => server.end("SIGTERM"));
  const answered = new Map<string, string>();
  const keys = Array.from({ length: 60 }, (_, n) => `order-${n}`);
  let isOver = false;
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    for (let n = caller; !isOver; n += 8) {
      const key = keys[n % keys.length] as string;
      const answer = await spend(server.url, 1, key).catch(() => null);
      const body = answer?.status === 200 ? await answer.json().catch(() => null) : null;
      if (body) {
        // Each answer of a key is the same, before and after a kill.
        expect(answered.get(key) ?? body.spendId).toBe(body.spendId);
        answered.set(key, body.spendId);
      } else await sleep(20);
    }
  });
  for (let round = 1; round <= 2; round += 1) {
    while (answered.size < round * 15) await sleep(20);
    await server.end("SIGKILL");
    server = await start();
  }
  while (answered.size < keys.length) await sleep(50);
  isOver = true;
  await Promise.all(callers);
  expect(new Set(answered.values()).size).toBe(keys.length);
  expect(await readBalance(server.url)).toMatchObject({ earned: EARNED, spent: keys.length });
  await runCommand(["ledger-verify"], { DATA_DIR: dataDir });
});
