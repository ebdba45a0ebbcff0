import { expect, test } from "vitest";
import { declareSafe, installNext } from "../support/next-release";
import { cleanUps, inDatabase, startSeededServer } from "../support/seeded-server";
import { fireOverHttp, runCommand, startServerProcess, waitUntil } from "../support/server-process";

const FUNCTION = "app/db/functions/ranks/rank_on_board.sql";

const addComment = (text: string) => `${text}-- the next version\n`;
const getWallet = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;

test("one release beside the next: both serve and credit, and ledger and ranks are exact", async () => {
  const before = await startSeededServer();
  const folder = await installNext({ [FUNCTION]: declareSafe });
  const next = await startServerProcess({ dataDir: before.dataDir, folder });
  cleanUps.push(() => next.end("SIGTERM"));
  const servers = [before, next];
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      fireOverHttp(servers[i % 2]?.url ?? "", getWallet(1 + i)),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { url } of servers) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const { stdout } = await runCommand(["ledger-verify"], {
    DATA_DIR: before.dataDir,
  });
  expect(stdout).toContain("201 events: all match the events");
});

test("a release that is not safe beside the one before does not start, and that one serves on", async () => {
  const before = await startSeededServer();
  const folder = await installNext({ [FUNCTION]: addComment });
  await expect(startServerProcess({ dataDir: before.dataDir, folder })).rejects.toThrow(
    "Processes of another version serve this database",
  );
  expect((await fireOverHttp(before.url, getWallet(1))).status).toBe(200);
  await before.end("SIGTERM");
  const next = await startServerProcess({ dataDir: before.dataDir, folder });
  cleanUps.push(() => next.end("SIGTERM"));
  expect((await fireOverHttp(next.url, getWallet(1))).status).toBe(200);
  for (const command of [["ledger-verify"], ["operators", "list"]]) {
    const run = runCommand(command, { DATA_DIR: before.dataDir });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The database is of another version"),
    });
  }
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
});

test.each([1, 2])(
  "a service of %i processes from which another version took the database ends with status 1",
  async (processes) => {
    const server = await startSeededServer({ WEB_CONCURRENCY: String(processes) });
    await inDatabase(server.dataDir, async (sql) => {
      await sql`delete from drizzle.served_schemas`;
    });
    await waitUntil(() => server.output().includes("Another version has taken"), 20_000);
    expect(await server.exited).toBe(1);
    await inDatabase(server.dataDir, async (sql) => {
      await sql`select 1`;
    });
  },
);
