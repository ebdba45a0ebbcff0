import { existsSync, readFileSync, rmSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import postgres from "postgres";
import { expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { decryptGiftCardCode } from "../../app/services/gift-cards/codes";
import { parseKeys } from "../../app/services/keyring/keys";
import { cleanUps, inDatabase } from "../support/seeded-server";
import {
  createDataDir,
  fireOverHttp,
  runCommand,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const CODE = "A-CODE-IN-A-BACKUP";
const METRICS_TOKEN = "a-token-of-at-least-32-characters";
const [system] = SMALL_FIXTURE.file.pointSystems;
const FIXTURE = {
  ...SMALL_FIXTURE.file,
  pointSystems: [
    {
      ...system,
      rewards: [
        {
          kind: "giftcard",
          id: "22222222-2222-4222-8222-222222222222",
          campaignName: "Vouchers",
          status: "distributed",
          tiers: [{ label: "Gold", cards: [{ code: CODE, address: SMALL_FIXTURE.wallet }] }],
        },
      ],
    },
  ],
};

const getWallet = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;

async function makeFolder(): Promise<string> {
  const folder = await createDataDir({ isEmpty: true });
  cleanUps.push(() => fs.rm(folder, { recursive: true, force: true }));
  return folder;
}

async function startServer() {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  await seed(dataDir, FIXTURE);
  const server = await startServerProcess({ dataDir, env: { METRICS_TOKEN } });
  cleanUps.push(() => server.end("SIGTERM"));
  return server;
}

/** Reads the age of the last base backup from the metrics of a server; null when they have none. */
async function readAge(url: string): Promise<number | null> {
  const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const [, age] = /^points_backup_age_seconds\{kind="base"} (\S+)$/m.exec(text) ?? [];
  return age === undefined ? null : Number(age);
}

const backUp = (dataDir: string, ...args: string[]) =>
  runCommand(["backup", ...args], { DATA_DIR: dataDir });
const restore = (dataDir: string, ...args: string[]) =>
  runCommand(["restore", ...args], { DATA_DIR: dataDir });

/** Credits new wallets, and returns the database's time after the last commit. */
async function credit(url: string, dataDir: string, numbers: readonly number[]): Promise<string> {
  for (const n of numbers) expect((await fireOverHttp(url, getWallet(n))).status).toBe(200);
  let time = "";
  await inDatabase(dataDir, async (sql) => {
    const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
    time = new Date(row?.now ?? 0).toISOString();
  });
  // The next change is of a later millisecond, in which the moment is named.
  await waitUntil(() => Date.now() > Date.parse(time) + 1, 10_000);
  return time;
}

/** Has the log up to now copied into the backup. */
async function finishSegment(dataDir: string, folder: string): Promise<void> {
  let segment = "";
  await inDatabase(dataDir, async (sql) => {
    const [row] = await sql<{ segment: string }[]>`
      select pg_walfile_name(pg_switch_wal()) as segment`;
    segment = row?.segment ?? "";
  });
  const file = path.join(folder, "wal", `${segment}.gz`);
  await waitUntil(
    () =>
      fs.access(file).then(
        () => true,
        () => false,
      ),
    60_000,
  );
}

/** Lists the wallets of a restored data dir with their points, and the code of its gift card. */
async function readRestored(dataDir: string) {
  const cluster = await holdEmbeddedCluster({ dataDir });
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  try {
    const wallets = await sql<{ address: string; points: number }[]>`
      select '0x' || encode(address, 'hex') as address, points::int from wallets order by address`;
    const [card] = await sql<
      {
        id: string;
        rewardId: string;
        codeCiphertext: Uint8Array;
        codeNonce: Uint8Array;
        codeKeyId: string;
        needsSeal: boolean;
      }[]
    >`select id, reward_id as "rewardId", code_ciphertext as "codeCiphertext",
        code_nonce as "codeNonce", code_key_id as "codeKeyId",
        needs_seal as "needsSeal" from gift_cards`;
    if (!card) throw new Error("There is no gift card");
    return { wallets: [...wallets], card };
  } finally {
    await sql.end();
    await cluster.release();
  }
}

test("a backup that a running service made is restored to a moment between two credits: the first is there", async () => {
  const server = await startServer();
  const folder = await makeFolder();
  const { stdout } = await backUp(server.dataDir, folder);
  const keyFile = path.join(server.dataDir, "gift-card-keys");
  expect(stdout).toContain(`Not in it: ${keyFile}.`);
  const between = await credit(server.url, server.dataDir, [1]);
  const end = await credit(server.url, server.dataDir, [2, 3]);
  await finishSegment(server.dataDir, folder);
  const kept = await fs.readdir(folder, { recursive: true });
  expect(kept.filter((name) => name.includes("gift-card-keys"))).toEqual([]);

  const [first, whole] = [await makeFolder(), await makeFolder()];
  const restored = await restore(first, folder, "--at", between);
  expect(restored.stdout).toContain("1 point systems, 2 wallets, 2 events: all match the events");
  expect(restored.stdout).toContain(
    `are under the key k1. Put it back into ${path.join(first, "gift-card-keys")}`,
  );
  const { wallets, card } = await readRestored(first);
  expect(wallets).toEqual([
    { address: getWallet(1), points: 10 },
    { address: SMALL_FIXTURE.wallet, points: 25 },
  ]);
  const keys = readFileSync(keyFile, "utf8");
  expect(decryptGiftCardCode(parseKeys(keys), card, card)).toBe(CODE);

  expect((await restore(whole, folder)).stdout).toContain("4 wallets, 4 events: all match");
  await expect(restore(whole, folder)).rejects.toMatchObject({
    code: 1,
    stderr: `${whole} has a database already. Set DATA_DIR to an empty folder.\n`,
  });
  const late = new Date(Date.parse(end) + 3_600_000).toISOString();
  const early = new Date(Date.parse(between) - 3_600_000).toISOString();
  for (const [at, reason] of [
    [late, "ends before"],
    [early, "The oldest moment"],
  ] as const) {
    const empty = await makeFolder();
    const refused = restore(empty, folder, "--at", at);
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(reason),
    });
    expect(await fs.readdir(empty)).not.toContain("pg");
  }

  // The lost key is told before anything is encrypted with another, and with it the service goes on.
  await expect(startServerProcess({ dataDir: first })).rejects.toThrow(
    `${path.join(first, "gift-card-keys")} is missing`,
  );
  await fs.writeFile(path.join(first, "gift-card-keys"), `k1:${"0123".repeat(16)}\n`);
  await expect(startServerProcess({ dataDir: first })).rejects.toThrow(
    `${path.join(first, "gift-card-keys")} is wrong`,
  );
  await fs.writeFile(path.join(first, "gift-card-keys"), keys);
  const again = await startServerProcess({ dataDir: first });
  cleanUps.push(() => again.end("SIGTERM"));
  expect((await fireOverHttp(again.url, getWallet(4))).status).toBe(200);
  await expect(backUp(first, folder)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("or of this one before it was restored. Name another folder."),
  });
});

test("backups under load are whole, and old ones are removed with their part of the log", async () => {
  const server = await startServer();
  const folder = await makeFolder();
  let isLoading = true;
  let credited = 0;
  const load = (async () => {
    while (isLoading) {
      const { status } = await fireOverHttp(server.url, getWallet(1_000 + credited));
      expect(status).toBe(200);
      credited += 1;
    }
  })();
  expect(await readAge(server.url)).toBeNull();
  // Of a backup that was killed.
  await fs.mkdir(path.join(folder, "draft-9999999"));
  await expect(backUp(server.dataDir, `${server.dataDir}/pg/backup`)).rejects.toMatchObject({
    stderr: expect.stringContaining("is in the folder of the data itself"),
  });
  for (let made = 0; made < 3; made += 1) await backUp(server.dataDir, folder, "--keep", "2");
  expect(await readAge(server.url)).toBeLessThan(30);
  isLoading = false;
  await load;
  await finishSegment(server.dataDir, folder);
  const names = (await fs.readdir(folder)).sort();
  const bases = names.filter((name) => name.startsWith("base-"));
  expect(bases).toHaveLength(2);
  expect(names).toEqual([...bases, "wal"]);
  const { firstSegment } = JSON.parse(
    readFileSync(path.join(folder, bases[0] ?? "", "backup.json"), "utf8"),
  );
  const [oldest = ""] = (await fs.readdir(path.join(folder, "wal"))).sort();
  expect(oldest.slice(0, 24)).toBe(firstSegment);
  const target = await makeFolder();
  const { stdout } = await restore(target, folder);
  expect(stdout).toContain(`${credited + 1} wallets, ${credited + 1} events: all match the events`);

  expect((await backUp(server.dataDir, "--off")).stdout).toContain(path.join(folder, "wal"));
  expect(await readAge(server.url)).toBeNull();
  rmSync(folder, { recursive: true });
  expect((await fireOverHttp(server.url, getWallet(1))).status).toBe(200);
});

test("events that left for an archive after the last base backup are in the backup before they leave", async () => {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const old = { address: SMALL_FIXTURE.wallet, points: 5, event: null, date: "2024-01-01" };
  await seed(dataDir, {
    ...SMALL_FIXTURE.file,
    pointSystems: [{ ...system, events: [...system.events, old] }],
  });
  const server = await startServerProcess({ dataDir });
  cleanUps.push(() => server.end("SIGTERM"));
  const folder = await makeFolder();
  await backUp(dataDir, folder);
  const archive = async () =>
    (await runCommand(["ledger-archive", "--before", "2025-01-01"], { DATA_DIR: dataDir })).stdout;
  // Where the backup cannot be written, nothing leaves.
  const copies = path.join(folder, "archives");
  await fs.writeFile(copies, "");
  await waitUntil(async () => {
    const refusal = await archive().catch(({ stderr }: { stderr: string }) => stderr);
    return refusal.startsWith("The archive cannot be copied to the backup");
  }, 60_000);
  await fs.rm(copies);
  expect(await archive()).toContain("1 events have left the ledger");
  expect(await fs.readdir(copies)).toEqual(await fs.readdir(path.join(dataDir, "archives")));

  await finishSegment(dataDir, folder);
  const { stdout } = await restore(await makeFolder(), folder);
  expect(stdout).toContain("1 wallets, 1 events and 1 archived ones: all match the events");
});

test("of two backups at once, one is refused, and the other has the log from then on", async () => {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  await seed(dataDir, SMALL_FIXTURE.file);
  const folders = [await makeFolder(), await makeFolder()];
  const runs = await Promise.allSettled(folders.map((folder) => backUp(dataDir, folder)));
  const refused = runs.findIndex(({ status }) => status === "rejected");
  expect(runs[refused]).toMatchObject({
    reason: {
      stderr: expect.stringContaining("Another backup of this database is under way\n"),
    },
  });
  const complete = runs.findIndex(({ status }) => status === "fulfilled");
  expect(readFileSync(path.join(dataDir, "pg-archive"), "utf8")).toBe(
    `${path.join(folders[complete] ?? "", "wal")}\n`,
  );
});

test("the log goes to the former folder until a backup in another one is complete, however that one ends", async () => {
  const server = await startServer();
  const [former, next] = [await makeFolder(), await makeFolder()];
  const record = path.join(server.dataDir, "pg-archive");
  const log = path.join(next, "wal");
  const failToBackUp = async () => {
    await fs.mkdir(log, { recursive: true, mode: 0o500 });
    await expect(backUp(server.dataDir, next)).rejects.toMatchObject({
      stderr: expect.stringContaining(`The log of PostgreSQL does not reach ${log}`),
    });
    await fs.chmod(log, 0o700);
  };
  await failToBackUp();
  await expect(fs.access(record)).rejects.toThrow("ENOENT");

  const umask = process.umask(0o077);
  await backUp(server.dataDir, former).finally(() => process.umask(umask));
  await fs.rm(log, { recursive: true });
  await failToBackUp();
  await credit(server.url, server.dataDir, [1]);
  await finishSegment(server.dataDir, former);

  const run = backUp(server.dataDir, next);
  const killed = expect(run).rejects.toMatchObject({ signal: "SIGKILL" });
  await waitUntil(
    async () => (await fs.readdir(next)).some((name) => name.startsWith("draft-")),
    60_000,
  );
  run.child.kill("SIGKILL");
  await killed;
  await credit(server.url, server.dataDir, [2]);
  await finishSegment(server.dataDir, former);
  const restored = await restore(await makeFolder(), former);
  expect(restored.stdout).toContain("3 wallets, 3 events: all match the events");

  await backUp(server.dataDir, next);
  expect(readFileSync(record, "utf8")).toBe(`${log}\n`);
});

test("--keep keeps the newest backup, also when the clock was ahead at one before it", async () => {
  const [dataDir, folder] = [await createDataDir(), await makeFolder()];
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const listBases = async () =>
    (await fs.readdir(folder)).filter((name) => name.startsWith("base-"));
  await backUp(dataDir, folder);
  const [first = ""] = await listBases();
  const name = "base-2999-01-01T00-00-00-000Z";
  const file = path.join(folder, first, "backup.json");
  const backup = { ...JSON.parse(readFileSync(file, "utf8")), name, endedAt: "2999-01-01T00:00Z" };
  await fs.writeFile(file, JSON.stringify(backup));
  await fs.rename(path.join(folder, first), path.join(folder, name));
  const { stdout } = await backUp(dataDir, folder, "--keep", "1");
  expect(stdout).toContain(`${path.join(folder, (await listBases()).join())} is complete`);
});

test("a restore that was cut off is begun again, and no process serves what it left", async () => {
  const [dataDir, folder, target] = [await createDataDir(), await makeFolder(), await makeFolder()];
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  await seed(dataDir, SMALL_FIXTURE.file);
  await backUp(dataDir, folder);
  const run = restore(target, folder);
  const killed = expect(run).rejects.toMatchObject({ signal: "SIGKILL" });
  await waitUntil(() => existsSync(path.join(target, "pg", "recovery.signal")), 60_000);
  run.child.kill("SIGKILL");
  await killed;
  const verified = runCommand(["ledger-verify"], { DATA_DIR: target });
  await expect(verified).rejects.toMatchObject({
    stderr: expect.stringContaining(
      "is not complete. Wait for its end, or run npm run restore again",
    ),
  });
  expect((await restore(target, folder)).stdout).toContain("all match the events");
  await runCommand(["ledger-verify"], { DATA_DIR: target });
});

test.each([
  ["backup", [], "No folder is named. Usage: npm run backup"],
  ["backup", ["f", "--keep", "0"], "--keep is a number from 1. Usage: npm run backup"],
  ["restore", ["f", "--at", "noon"], "--at is a time with its zone. Usage: npm run restore"],
])("a wrong call of %s %j is answered with a sentence", async (name, args, sentence) => {
  const run = runCommand([name, ...args], {});
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
});

test("the database of a URL is not backed up here, and the sentence names the page with the commands", async () => {
  const env = { DATABASE_URL: "postgres://points@localhost/points" };
  await expect(runCommand(["backup", "folder"], env)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("docs/operating.md#backup"),
  });
});
