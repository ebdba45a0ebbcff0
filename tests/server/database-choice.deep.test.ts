import fs from "node:fs/promises";
import postgres from "postgres";
import { expect, test } from "vitest";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { cleanUps, startSeededServer } from "../support/seeded-server";
import { createDataDir, runCommand, startServerProcess } from "../support/server-process";

const KEYS = `k1:${"0123456789abcdef".repeat(4)}`;

test("a forgotten DATABASE_URL does not begin an empty database beside the one that was used", async () => {
  const owner = await startSeededServer();
  const cluster = await holdEmbeddedCluster({ dataDir: owner.dataDir });
  const { host, port, password } = cluster.connection;
  const toUrl = (database: string) =>
    `postgres://app:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const dataDir = await createDataDir({ isEmpty: true });
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const start = async (env: Record<string, string>) => {
    const server = await startServerProcess({ dataDir, env: { GIFT_CARD_KEYS: KEYS, ...env } });
    await server.end("SIGTERM");
  };
  await start({ DATABASE_URL: toUrl("points") });
  const recorded = `${host}/points`;
  await expect(start({})).rejects.toThrow(
    `DATABASE_URL is not set, and this installation uses the database ${recorded}`,
  );
  await expect(start({ DATABASE: "url" })).rejects.toThrow("DATABASE=url needs DATABASE_URL");
  const sql = postgres({ ...cluster.connection, max: 1, onnotice: () => {} });
  await sql`create database mistyped`;
  await expect(start({ DATABASE_URL: toUrl("mistyped") })).rejects.toThrow(
    `${host}/mistyped is empty, and this installation uses ${recorded}`,
  );
  // Whoever prepares it by a command means it.
  await runCommand(["migrate"], {
    DATA_DIR: dataDir,
    DATABASE_URL: toUrl("mistyped"),
  });
  await start({ DATABASE_URL: toUrl("mistyped") });
  await sql.end();
  await cluster.release();
  const verify = (...args: string[]) =>
    runCommand(["ledger-verify", ...args], {
      DATA_DIR: dataDir,
      DATABASE: "embedded",
    });
  await expect(verify()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no database in"),
  });
  expect((await fs.readdir(dataDir)).sort()).toEqual(["database"]);

  await start({ DATABASE: "embedded" });
  // It is the one that is used from then on.
  await start({});
  await expect(verify()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no point system in this database"),
  });
  expect((await verify("--allow-empty")).stdout).toContain("0 point systems");
});
