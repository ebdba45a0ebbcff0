import fs from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { expect, test } from "vitest";
import { fireOnce } from "../support/http-load";
import { getWallet, inDatabase, startSeededServer } from "../support/seeded-server";
import { runCommand, SMALL_FIXTURE, waitUntil } from "../support/server-process";

// A point system in trouble, or one whose ledger takes a large file, is no trouble of its neighbours.

const CALLERS = 6;
/** Between two calls of a caller: applications call now and then, and leave the seed its core. */
const PAUSE_MS = 150;
const ALONE_MS = 5_000;
/** By then the servers know the neighbours in trouble. */
const LEARNING_MS = 2_000;

const toAddress = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

/** A neighbour that is called. */
interface Neighbour {
  readonly id: string;
  readonly key: string;
}
const LOCKED: Neighbour = {
  id: "22222222-2222-4222-8222-222222222222",
  key: "rw_00000000000000000000000000000002",
};
const FAILING: Neighbour = {
  id: "33333333-3333-4333-8333-333333333333",
  key: "rw_00000000000000000000000000000003",
};
/** The events that a failing fold leaves: they are counted at each read. */
const TAIL = 60_000;

/** Writes a fixture with a point system of its own into a file. */
async function writeFixture(
  folder: string,
  count: number,
  { id, key }: Partial<Neighbour> = {},
): Promise<string> {
  const [owner] = SMALL_FIXTURE.file.operators;
  const operator = { ...owner, email: "neighbour@example.com" };
  const events = Array.from({ length: count }, (_, n) => ({
    ...{ address: toAddress(n % 100_000), points: 1 + (n % 50), event: null },
  }));
  const { triggers } = SMALL_FIXTURE.file.pointSystems[0];
  const system = { operator: operator.email, id, name: "Neighbour", triggers, events };
  const apiKeys = key
    ? [{ operator: operator.email, name: key, key, permission: "all", pointSystems: [id] }]
    : [];
  const file = path.join(folder, "neighbour.json");
  const fixture = { operators: [operator], pointSystems: [system], apiKeys };
  await fs.writeFile(file, JSON.stringify(fixture));
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
  const read = async () => {
    const answer = await getWallet(url);
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
    const server = await startSeededServer({ WEB_CONCURRENCY });
    const file = await writeFixture(server.dataDir, events);

    const stopAlone = callSteadily(server.url, 1);
    await sleep(ALONE_MS);
    const alone = await stopAlone();
    const stopBeside = callSteadily(server.url, 2);
    await runCommand(["seed", file], { DATA_DIR: server.dataDir });
    const beside = await stopBeside();

    expect([...alone.refused, ...beside.refused]).toEqual([]);
    expect(beside.credits / alone.credits).toBeGreaterThan(0.8);
    expect(beside.reads / alone.reads).toBeGreaterThan(0.8);
  },
);

/** Checks whether the fold of ranks has counted all of a point system. */
async function isFolded(sql: Sql, id: string): Promise<boolean> {
  const [row] = await sql<{ isFolded: boolean }[]>`
    select not exists (select from rank_tail(${id}::uuid, c.seq, 1)) as "isFolded"
    from rank_cursors c where c.point_system_id = ${id}`;
  return row?.isFolded === true;
}

/** Credits the locked neighbour and reads the failing one, until it is stopped. */
function callInTrouble(url: string) {
  const statuses = { credits: new Set<number>(), reads: new Set<number>() };
  let isOver = false;
  const repeat = async (kind: keyof typeof statuses, send: () => Promise<Response>) => {
    while (!isOver) {
      const answer = await send();
      await answer.arrayBuffer();
      statuses[kind].add(answer.status);
    }
  };
  const toHeaders = ({ key }: Neighbour) => ({
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
  });
  const walletAddress = toAddress(1);
  const body = JSON.stringify({
    ...{ triggerKey: "daily_login", walletAddress, pointSystemId: LOCKED.id },
  });
  const query = `pointSystemId=${FAILING.id}&address=${walletAddress}`;
  const callers = [
    ...Array.from({ length: 20 }, () =>
      repeat("credits", () =>
        fetch(`${url}/trigger`, { method: "POST", headers: toHeaders(LOCKED), body }),
      ),
    ),
    ...Array.from({ length: 2 }, () =>
      repeat("reads", () => fetch(`${url}/wallet?${query}`, { headers: toHeaders(FAILING) })),
    ),
  ];
  return async () => {
    isOver = true;
    await Promise.all(callers);
    return statuses;
  };
}

test.each(["1", "2"])(
  "beside a locked neighbour and one whose fold fails, credits and reads go on at 0.8 of their rate, and folds too, on %s processes",
  async (WEB_CONCURRENCY) => {
    const { dataDir, url } = await startSeededServer({ WEB_CONCURRENCY });
    const load = async (neighbour: Neighbour, events: number) => {
      const file = await writeFixture(dataDir, events, neighbour);
      await runCommand(["seed", file], { DATA_DIR: dataDir });
    };
    await load(LOCKED, 1);
    await load(FAILING, 100);
    await inDatabase(dataDir, async (sql) => {
      await waitUntil(() => isFolded(sql, FAILING.id), 20_000);
      const stopAlone = callSteadily(url, 1);
      await sleep(ALONE_MS);
      const alone = await stopAlone();

      await inDatabase(dataDir, async (holder) => {
        await holder.begin(async (tx) => {
          await tx`select lock_ledger(${LOCKED.id}::uuid)`;
          // What the fold of the other one's ranks changes: it fails each time.
          const { count } = await tx`
            select from rank_counts where point_system_id = ${FAILING.id} for update`;
          expect(count).toBeGreaterThan(0);
          await load(FAILING, TAIL);
          const stopTrouble = callInTrouble(url);
          await sleep(LEARNING_MS);
          const stopBeside = callSteadily(url, 2);
          await sleep(ALONE_MS);
          const beside = await stopBeside();
          expect([...alone.refused, ...beside.refused]).toEqual([]);
          expect(beside.credits / alone.credits).toBeGreaterThan(0.8);
          expect(beside.reads / alone.reads).toBeGreaterThan(0.8);
          await waitUntil(() => isFolded(sql, SMALL_FIXTURE.pointSystemId), 10_000);
          expect(await isFolded(sql, FAILING.id)).toBe(false);
          expect(await stopTrouble()).toEqual({
            credits: new Set([503]),
            reads: new Set([200]),
          });
        });
      });
      await waitUntil(() => isFolded(sql, FAILING.id), 60_000);
    });
    await runCommand(["ledger-verify"], { DATA_DIR: dataDir });
  },
);
