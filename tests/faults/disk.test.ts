import fs from "node:fs/promises";
import path from "node:path";
import postgres from "postgres";
import { expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { createDisk } from "../endurance/disk";
import { cleanUps, getWallet } from "../support/seeded-server";
import {
  createDataDir,
  fireOverHttp,
  runCommand,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

/** Room for a new cluster and its log. */
const DISK_MEBIBYTES = 512;
const CALLERS = 16;
const REFUSED = 200;

const toAddress = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;

test("on a full disk no answered credit is lost, and with room again all is well, without a restart", async ({
  skip,
}) => {
  const disk = await createDisk(DISK_MEBIBYTES);
  cleanUps.push(() => disk.remove());
  if (!disk.canFill) skip("No disk of its own can be mounted here");
  const { folder: dataDir } = disk;
  const server = await startServerProcess({ dataDir });
  cleanUps.push(() => server.end("SIGTERM"));
  await seed(dataDir, SMALL_FIXTURE.file);
  const cluster = await holdEmbeddedCluster({ dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  cleanUps.push(
    () => cluster.release(),
    () => sql.end({ timeout: 1 }),
  );
  let wallets = 0;
  const credited: string[] = [];
  /** Credits a new wallet, and remembers it if that was answered. */
  const credit = async () => {
    wallets += 1;
    const address = toAddress(wallets);
    const { status } = await fireOverHttp(server.url, address);
    if (status === 200) credited.push(address);
    return status;
  };
  const isReady = async () => (await fetch(`${server.url}/readyz`)).ok;
  expect(await credit()).toBe(200);

  const makeRoom = await disk.fill();
  let refused = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (refused < REFUSED) {
      const status = await credit();
      expect([200, 503]).toContain(status);
      if (status === 503) refused += 1;
    }
  });
  await Promise.all(callers);
  const errors = server.logLines().filter(({ err }) => err);
  expect(errors[0]).toMatchObject({
    msg: "the database is unavailable",
    err: { code: "53100", message: expect.stringContaining("No space left on device") },
  });
  // PostgreSQL still has room in its pages and its log: the table that the check writes is not full.
  expect(await isReady()).toBe(true);

  const fillLog = async () => {
    for (;;) {
      await sql`select pg_logical_emit_message(true, 'test', 'fills the segment')`;
      await sql`select pg_switch_wal()`;
    }
  };
  await expect(fillLog()).rejects.toThrow();
  await waitUntil(async () => !(await isReady()), 30_000);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await credit()).toBe(503);

  await makeRoom();
  const madeAt = Date.now();
  await waitUntil(async () => (await isReady()) && (await credit()) === 200, 60_000);
  console.log(`${credited.length} credited; well ${Date.now() - madeAt} ms after there was room`);
  for (const address of credited) {
    expect(await (await getWallet(server.url, address)).json()).toMatchObject({ points: 10 });
  }
  const { stdout } = await runCommand(["ledger-verify"], { DATA_DIR: dataDir });
  expect(stdout).toContain("all match the events");
});

test.for(["1", "2"])(
  "on a full disk for the log, the service serves on and stops as usual, and logs again with room (WEB_CONCURRENCY=%s)",
  { timeout: 60_000 },
  async (WEB_CONCURRENCY, { skip }) => {
    const disk = await createDisk(1);
    cleanUps.push(() => disk.remove());
    if (!disk.canFill) skip("No disk of its own can be mounted here");
    const file = path.join(disk.folder, "log");
    const log = await fs.open(file, "a");
    cleanUps.push(() => log.close());
    const dataDir = await createDataDir();
    cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
    const makeRoom = await disk.fill();
    const server = await startServerProcess({ dataDir, env: { WEB_CONCURRENCY }, logTo: log.fd });
    cleanUps.push(() => server.end("SIGKILL"));
    const callOften = async (requestId: string) => {
      const headers = { "X-Request-Id": requestId };
      for (let n = 0; n < 100; n += 1) {
        expect((await fetch(`${server.url}/leaderboard`, { headers })).status).toBe(401);
      }
    };
    await callOften("full");
    await waitUntil(() => server.output().includes("The log cannot be written"), 5_000);

    await makeRoom();
    await callOften("with-room");
    await waitUntil(async () => {
      const lines = (await fs.readFile(file, "utf8")).split("\n");
      return ["full", "with-room"].every(
        (id) => lines.filter((line) => line.includes(`"requestId":"${id}"`)).length === 100,
      );
    }, 5_000);

    await disk.fill();
    await callOften("full-again");
    expect(await server.end("SIGTERM")).toBe(0);
  },
);
