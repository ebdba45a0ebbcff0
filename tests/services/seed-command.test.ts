import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, inject, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { createExample, createFile, dumpDatabase } from "../fixture-file";

const folder = mkdtempSync(path.join(os.tmpdir(), "seed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The URL of this test file's database. */
async function getDatabaseUrl(): Promise<string> {
  const [row] = await withDatabase((db) =>
    db.execute<{ name: string }>(sql`select current_database() as name`),
  );
  const { host, port, username, password } = inject("cluster");
  const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  const name = row?.name ?? "";
  return host.startsWith("/")
    ? `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`
    : `postgres://${user}@${host}:${port}/${name}`;
}

/** Runs the command as npm does, on this test file's database. */
async function seed(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["--import", "tsx", "drizzle/seed.ts", ...args], {
    env: { ...process.env, DATABASE_URL: await getDatabaseUrl(), GIFT_CARD_KEYS: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const status = await new Promise((resolve) => child.once("close", resolve));
  return { status, ...output };
}

function write(content: string): string {
  const file = path.join(folder, `${randomBytes(6).toString("hex")}.json`);
  writeFileSync(file, content);
  return file;
}

describe("npm run db:seed -- FILE", () => {
  const keys = { GIFT_CARD_KEYS: `k1:${randomBytes(32).toString("hex")}` };

  test("loads the file and prints a line for each point system and key, and no secret", async () => {
    const file = createExample();
    const { id, slug } = file.pointSystems[0];
    const { status, stdout, stderr } = await seed([write(JSON.stringify(file))], keys);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        new RegExp(
          `^point system ${id} "Alpha" \\(slug ${slug}, short id [0-9A-Z]{4}\\): 3 wallets, 2 events, 1 triggers, 2 rewards$`,
        ),
      ),
      `api key "backend" (…${file.apiKeys[0].key.slice(-4)}): permission all, 1 point systems`,
    ]);
    expect(stdout).not.toContain(file.apiKeys[0].key);
  });

  test("names each problem on stderr by its path, loads nothing and exits with 1", async () => {
    const file = createFile({ triggers: [{ key: "a b", points: 0 }], extra: 1 });
    const before = await dumpDatabase();
    const { status, stdout, stderr } = await seed([write(JSON.stringify(file))]);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n")).toEqual([
      "pointSystems[0].triggers[0].key: must be 1 to 100 of a-z, 0-9 and _",
      "pointSystems[0].triggers[0].points: must be a whole number from 1 to 1000000000",
      "pointSystems[0].extra: is unknown",
    ]);
    expect(await dumpDatabase()).toEqual(before);
  });

  test("asks for GIFT_CARD_KEYS when there is a code to encrypt, and not before", async () => {
    const refused = await seed([write(JSON.stringify(createExample()))]);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("GIFT_CARD_KEYS");
    expect(await seed([write(JSON.stringify(createFile()))])).toMatchObject({ status: 0 });
  });

  test("says what is wrong with a file that is not there, or not JSON, and repeats none of it", async () => {
    const results = await Promise.all([
      seed([]),
      seed([path.join(folder, "none.json")]),
      seed([write('{"operators": [{"password": "hunter2" }')]),
    ]);
    expect(results).toMatchObject([
      { status: 1, stdout: "", stderr: "Usage: npm run db:seed -- FILE.json\n" },
      { status: 1, stdout: "", stderr: expect.stringContaining("cannot be read") },
      { status: 1, stdout: "", stderr: expect.stringMatching(/is not JSON\n$/) },
    ]);
  });
});
