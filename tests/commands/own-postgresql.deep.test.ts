import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { expect, test } from "vitest";
import { commandDatabase, openMigratedDatabase } from "../../app/db/open";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { BIN, hasPostgres15, startPostgres15 } from "../support/postgres-15";
import { cleanUps, getWallet } from "../support/seeded-server";
import { createDataDir, SMALL_FIXTURE, startServerProcess } from "../support/server-process";

const DUMP = "points.dump";

/** Reads the commands of docs/operating.md that dump a database, and restore it into another. */
async function readCommands(): Promise<string> {
  const guide = await fs.readFile("docs/operating.md", "utf8");
  const [, commands] = /```sh\n(pg_dump --format=custom.*?)```/s.exec(guide) ?? [];
  if (!commands?.includes("pg_restore")) throw new Error("docs/operating.md has no such commands");
  return commands;
}

test("a dump of one's own PostgreSQL is restored as documented, verifies, and serves", async ({
  skip,
}) => {
  if (!hasPostgres15()) skip("There is no PostgreSQL 15 here");
  const server = startPostgres15();
  cleanUps.push(async () => server.end());
  const dataDir = await createDataDir({ isEmpty: true });
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const close = await openMigratedDatabase(
    commandDatabase({ DATABASE_URL: server.url, DATA_DIR: dataDir }, () => {}),
  );
  await loadFixture(JSON.parse(JSON.stringify(SMALL_FIXTURE.file)), {
    getKeyring: () => {
      throw new Error("The fixture has no gift cards");
    },
  });
  await close();
  const { searchParams } = new URL(server.url);
  const host = searchParams.get("host") ?? "";
  const sql = postgres({ host, username: "postgres", database: "postgres", max: 1 });
  await sql`create database restored`;
  await sql.end();

  const restored = server.url.replace("/postgres?", "/restored?");
  const commands = (await readCommands()).replaceAll(DUMP, path.join(dataDir, DUMP));
  const { stdout } = await promisify(execFile)("sh", ["-ec", commands], {
    env: {
      ...process.env,
      ...{ PATH: `${BIN}:${process.env.PATH}`, DATA_DIR: dataDir },
      ...{ DATABASE_URL: server.url, NEW_DATABASE_URL: restored },
    },
  });
  expect(stdout).toContain("1 point systems, 1 wallets, 1 events: all match the events");
  const next = await startServerProcess({ dataDir, env: { DATABASE_URL: restored } });
  cleanUps.push(() => next.end("SIGTERM"));
  expect(await (await getWallet(next.url)).json()).toMatchObject({ points: 25 });
});
