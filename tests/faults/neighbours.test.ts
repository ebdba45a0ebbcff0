import fs from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { fireOnce } from "../support/http-load";
import {
  createDataDir,
  runCommand,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

// A point system whose ledger takes a large file is no trouble of its neighbours.

const CALLERS = 6;
/** Between two calls of a caller: applications call now and then, and leave the seed its core. */
const PAUSE_MS = 150;
const ALONE_MS = 5_000;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const toAddress = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

/** Writes a fixture with a point system of its own into a file. */
async function writeFixture(folder: string, count: number): Promise<string> {
  const [owner] = SMALL_FIXTURE.file.operators;
  const operator = { ...owner, email: "neighbour@example.com" };
  const events = Array.from({ length: count }, (_, n) => ({
    ...{ address: toAddress(n % 100_000), points: 1 + (n % 50), event: null },
  }));
  const system = { operator: operator.email, name: "Neighbour", slug: null, triggers: [], events };
  const file = path.join(folder, "neighbour.json");
  await fs.writeFile(file, JSON.stringify({ operators: [operator], pointSystems: [system] }));
  return file;
}

/** Credits and reads until it is stopped. */
function callSteadily(url: string, round: number) {
  const agent = new http.Agent({ keepAlive: true });
  const startedAt = performance.now();
  const counts = { credits: 0, reads: 0 };
  const refused: unknown[] = [];
  let isOver = false;
  const call = async (kind: keyof typeof counts, send: () => Promise<number | string>) => {
    const outcome = await send();
    counts[kind] += 1;
    if (outcome !== 200) refused.push({ kind, outcome });
    await sleep(PAUSE_MS);
  };
  const headers = { Authorization: `Bearer ${SMALL_FIXTURE.token}` };
  const query = `pointSystemId=${SMALL_FIXTURE.pointSystemId}&address=${SMALL_FIXTURE.wallet}`;
  const read = async () => {
    const answer = await fetch(`${url}/wallet?${query}`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let n = 0; !isOver; n += 1) {
      const address = toAddress(round * 1_000_000 + caller * 100_000 + n);
      await call("credits", () => fireOnce(agent, url, address));
      await call("reads", read);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(callers);
    agent.destroy();
    const seconds = (performance.now() - startedAt) / 1_000;
    return { refused, credits: counts.credits / seconds, reads: counts.reads / seconds };
  };
}

test.each([
  [200_000, "1"],
  [500_000, "2"],
])(
  "while a neighbour takes a file of %i events, credits and reads go on at 0.8 of their rate, on %s processes",
  async (events, WEB_CONCURRENCY) => {
    const dataDir = await createDataDir();
    cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
    const server = await startServerProcess({ dataDir, env: { WEB_CONCURRENCY } });
    cleanUps.push(() => server.end("SIGTERM"));
    await seed(dataDir, SMALL_FIXTURE.file);
    const file = await writeFixture(dataDir, events);

    const stopAlone = callSteadily(server.url, 1);
    await sleep(ALONE_MS);
    const alone = await stopAlone();
    const stopBeside = callSteadily(server.url, 2);
    await runCommand(["seed", file], { DATA_DIR: dataDir });
    const beside = await stopBeside();

    expect([...alone.refused, ...beside.refused]).toEqual([]);
    expect(beside.credits / alone.credits).toBeGreaterThan(0.8);
    expect(beside.reads / alone.reads).toBeGreaterThan(0.8);
  },
);
