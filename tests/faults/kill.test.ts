import { createHash, randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterEach, expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import {
  createDataDir,
  findPostmaster,
  fireOverHttp,
  runCommand,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

/**
 * The duration of a test. `npm test` keeps it short; `npm run test:faults` runs for two minutes a
 * test.
 */
const FAULT_SECONDS = Number(process.env.FAULT_SECONDS ?? 12);
const CLIENTS = 24;
const IMPORTED_WALLETS = 2_000;

/** A call as its client knows it: answered, or unknown because no answer came. */
interface Attempt {
  readonly idempotencyKey: string;
  readonly address: string;
  isAcknowledged: boolean;
}

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const countAcknowledged = (attempts: readonly Attempt[]) =>
  attempts.filter(({ isAcknowledged }) => isAcknowledged).length;

/**
 * Fires triggers without pause while `harm` runs. A client that gets no answer repeats the call
 * with its idempotency key, as backends do, until the time is up.
 */
async function fireUnder(
  getUrl: () => string,
  harm: (attempts: readonly Attempt[]) => Promise<void>,
  isEnough = () => true,
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  let isOver = false;
  // There are few wallets, so that credits of one wallet meet in a batch.
  const addresses = Array.from({ length: 4_000 }, () => `0x${randomBytes(20).toString("hex")}`);
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      const address = addresses[Math.floor(Math.random() * addresses.length)] as string;
      const attempt = { idempotencyKey: randomUUID(), address, isAcknowledged: false };
      attempts.push(attempt);
      while (!isOver) {
        const response = await fireOverHttp(getUrl(), address, attempt.idempotencyKey).catch(
          () => null,
        );
        if (response?.status === 200) {
          attempt.isAcknowledged = true;
          break;
        }
        // The limit refused the call for good: it need not be stored.
        if (response?.status === 429) break;
        await sleep(20);
      }
    }
  });
  const startedAt = Date.now();
  while (Date.now() - startedAt < FAULT_SECONDS * 1_000 || !isEnough()) {
    await harm(attempts);
  }
  isOver = true;
  await Promise.all(clients);
  return attempts;
}

/** Hashes as app/db/functions/credit_points.sql and its caller do. */
const hash = (...parts: Buffer[]) =>
  createHash("sha256").update(Buffer.concat(parts)).digest("hex").slice(0, 32);

/**
 * Checks that acknowledged calls are stored, that stored calls were attempted, and that no call is
 * stored twice.
 */
async function expectNothingLostOrDoubled(dataDir: string, attempts: Attempt[]): Promise<void> {
  const cluster = await holdEmbeddedCluster({ dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  const [key] = await sql<{ id: string }[]>`select id from api_keys`;
  const records = await sql<{ digest: string; request: string }[]>`
    select encode(digest, 'hex') as digest, encode(request, 'hex') as request
    from idempotency_records`;
  await sql.end();
  await cluster.release();
  const stored = new Map(records.map(({ digest, request }) => [digest, request]));
  expect(stored.size).toBe(records.length);
  const ids = [key?.id ?? "", SMALL_FIXTURE.pointSystemId].join("").replaceAll("-", "");
  const digestOf = (attempt: Attempt) =>
    hash(Buffer.from(ids, "hex"), Buffer.from(attempt.idempotencyKey));
  const attempted = new Map(
    attempts.map((attempt) => [
      digestOf(attempt),
      hash(Buffer.from(attempt.address.slice(2), "hex"), Buffer.from("daily_login\0")),
    ]),
  );
  for (const [digest, request] of stored) expect(attempted.get(digest)).toBe(request);
  const lost = attempts.filter(
    (attempt) => attempt.isAcknowledged && !stored.has(digestOf(attempt)),
  );
  expect(lost).toEqual([]);
  // The command exits with 1, and this call throws, when a wallet, its place on a board or a day of its streak does not
  // match its events.
  await runCommand(["ledger-verify"], { DATA_DIR: dataDir });
}

/** Boards, a streak and tiers, which credits count for at once, or jobs from the ledger. */
const PROGRAMS = {
  boards: [
    { kind: "daily", timeZone: "Asia/Kathmandu" },
    {
      kind: "season",
      slug: "cup",
      startsAt: "2020-01-01T00:00:00Z",
      endsAt: "2100-01-01T00:00:00Z",
    },
  ],
  streaks: [{ key: "visits" }],
  tiers: [{ name: "Crew", pointsMin: 20, color: "#7c8a99" }],
};

async function startSeeded(): Promise<ServerProcess> {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const server = await startServerProcess({ dataDir, env: { LOG_LEVEL: "warn" } });
  const [system] = SMALL_FIXTURE.file.pointSystems;
  await seed(dataDir, { ...SMALL_FIXTURE.file, pointSystems: [{ ...system, ...PROGRAMS }] });
  return server;
}

test("kill -9 of the server under load loses no acknowledged credit and doubles none", async () => {
  let server = await startSeeded();
  const { dataDir } = server;
  let kills = 0;
  const attempts = await fireUnder(
    () => server.url,
    async () => {
      await sleep(500 + Math.random() * 1_500);
      await server.end("SIGKILL");
      kills += 1;
      server = await startServerProcess({ dataDir, env: { LOG_LEVEL: "warn" } });
    },
    () => kills > 2,
  );
  await server.end("SIGTERM");
  const acknowledged = countAcknowledged(attempts);
  console.log(`${kills} kills of the server, ${acknowledged} of ${attempts.length} acknowledged`);
  expect(kills).toBeGreaterThan(2);
  expect(acknowledged).toBeGreaterThan(100);
  await expectNothingLostOrDoubled(dataDir, attempts);
});

test("kill -9 of PostgreSQL under load loses no acknowledged credit and doubles none", async () => {
  const server = await startSeeded();
  let kills = 0;
  const attempts = await fireUnder(
    () => server.url,
    async () => {
      await sleep(500 + Math.random() * 1_500);
      const postmaster = findPostmaster(server.dataDir);
      if (postmaster === null) return;
      process.kill(postmaster, "SIGKILL");
      kills += 1;
    },
  );
  const acknowledged = countAcknowledged(attempts);
  console.log(`${kills} kills of PostgreSQL, ${acknowledged} of ${attempts.length} acknowledged`);
  await server.end("SIGTERM");
  expect(kills).toBeGreaterThan(2);
  expect(acknowledged).toBeGreaterThan(100);
  await expectNothingLostOrDoubled(server.dataDir, attempts);
});

/** Posts a form of the dashboard as a browser does. A failure is as good as an answer here. */
async function post(url: string, cookie: string, body: URLSearchParams | FormData) {
  const headers = { cookie, origin: new URL(url).origin };
  const signal = AbortSignal.timeout(10_000);
  return fetch(url, { method: "POST", headers, body, signal, redirect: "manual" }).catch(
    () => null,
  );
}

test("a hundred ends of all connections under credits, imports, forms and folds leave the server alive and its ledger whole", async () => {
  const server = await startSeeded();
  const { email, password } = SMALL_FIXTURE.file.operators[0];
  const answer = await post(`${server.url}/sign-in`, "", new URLSearchParams({ email, password }));
  const cookie = answer?.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const pointSystemUrl = `${server.url}/dashboard/${SMALL_FIXTURE.pointSystemId}`;
  let isOver = false;
  const whileFiring = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  const imported = Array.from(
    { length: IMPORTED_WALLETS },
    () => `0x${randomBytes(20).toString("hex")},5\n`,
  ).join("");
  const operators = [
    whileFiring(async () => {
      const upload = new FormData();
      upload.set("text", "");
      upload.set("file", new Blob([`address,points\n${imported}`]), "points.csv");
      const analysed = await post(`${pointSystemUrl}/imports`, cookie, upload);
      const place = analysed?.headers.get("location");
      if (!place) return sleep(50);
      const totals = {
        wallets: String(IMPORTED_WALLETS),
        points: String(IMPORTED_WALLETS * 5),
        note: "",
      };
      const commit = new URLSearchParams({ intent: "commit", ...totals });
      await post(server.url + place, cookie, commit);
      await sleep(500);
    }),
    ...Array.from({ length: 4 }, () =>
      whileFiring(() =>
        post(
          `${pointSystemUrl}/wallets/${SMALL_FIXTURE.wallet}`,
          cookie,
          new URLSearchParams({ intent: "grant", points: "1", note: "" }),
        ),
      ),
    ),
  ];
  const cluster = await holdEmbeddedCluster({ dataDir: server.dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, connection: { application_name: "test" } });
  let ends = 0;
  const attempts = await fireUnder(
    () => server.url,
    async (fired) => {
      // Each end falls into work that goes on again, however slow the machine is.
      const before = countAcknowledged(fired);
      await waitUntil(() => countAcknowledged(fired) > before, 30_000);
      await sleep(Math.random() * 300);
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'points-and-rewards/%'`;
      ends += 1;
    },
    () => ends >= 100,
  );
  isOver = true;
  await Promise.all(operators);
  // What was taken up is ended once the connections last. After some failures, the next attempt comes minutes later.
  await waitUntil(async () => {
    const [open] =
      await sql`select count(*)::int as imports from imports where status = 'committing'`;
    return open?.imports === 0;
  }, 240_000);
  const [written] = await sql`
    select count(*) filter (where import_id is null)::int as grants,
      count(*) filter (where import_id is not null)::int as imported
    from point_events where operator_id is not null`;
  await sql.end();
  await cluster.release();
  expect(server.process.exitCode).toBe(null);
  expect((await fireOverHttp(server.url, SMALL_FIXTURE.wallet)).status).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
  const acknowledged = countAcknowledged(attempts);
  console.log(`${ends} ends, ${acknowledged} of ${attempts.length} acknowledged`, written);
  expect(acknowledged).toBeGreaterThanOrEqual(100);
  expect(written?.grants).toBeGreaterThan(10);
  expect(written?.imported).toBeGreaterThan(0);
  expect(written?.imported % IMPORTED_WALLETS).toBe(0);
  await expectNothingLostOrDoubled(server.dataDir, attempts);
});
