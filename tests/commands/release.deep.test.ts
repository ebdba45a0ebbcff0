import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram } from "../support/ensure-program";
import { copyPackages, npmRun, unpackRelease } from "../support/release";
import { cleanUps } from "../support/seeded-server";
import {
  createDataDir,
  fireOverHttp,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const run = promisify(execFile);
let installed: string;
/** Says that npm has no way to the registry; the packages are then taken from this checkout. */
const OFFLINE = /ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENOTCACHED/;

beforeAll(async () => {
  installed = await unpackRelease();
  await installPackages();
}, 600_000);
afterAll(() => rmSync(path.dirname(installed), { recursive: true, force: true }));

/** Installs the packages of the release's lock file, and no others. */
async function installPackages(): Promise<void> {
  const install = ["ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"];
  try {
    await run("npm", install, { cwd: installed });
  } catch (error) {
    if (!OFFLINE.test((error as { stderr: string }).stderr)) throw error;
    copyPackages(installed);
  }
}

test("a release starts with its production packages alone, is ready and credits", async () => {
  const packages = path.join(installed, "node_modules");
  for (const name of ["tsx", "typescript", "vite", "vitest", "@remix-run/dev"]) {
    expect(existsSync(path.join(packages, name)), name).toBe(false);
  }
  expect(existsSync(path.join(installed, "app/server"))).toBe(false);
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  await seed(dataDir, SMALL_FIXTURE.file);
  const command = (name: string, ...args: string[]) =>
    npmRun(installed, { DATA_DIR: dataDir }, name, ...args);
  const program = "app/commands/start.mjs";
  const server = await startServerProcess({ dataDir, folder: installed, program });
  cleanUps.push(() => server.end("SIGTERM"));
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${server.url}/sign-in`)).status).toBe(200);
  const answer = await fireOverHttp(server.url, SMALL_FIXTURE.wallet);
  expect(await answer.json()).toMatchObject({ success: true, pointsAdded: 10 });
  expect(await command("ledger:verify")).toContain("2 events: all match the events");
  expect(await command("ranks:rebuild")).toContain("1 of 1 point systems");
  expect(await command("operators", "list")).toContain("ops@example.com");
  expect(await command("gift-cards:rotate")).toContain("0 codes encrypted");
  expect(await command("ledger:archive", "--before", "2020-01-01")).toContain("No event");
  expect(await server.end("SIGTERM")).toBe(0);
  expect(await command("migrate")).toContain("The database is of version");
});

const hasSystemd = findProgram("systemd-analyze", "systemd", "the unit of systemd");

test.skipIf(!hasSystemd)("a release's unit of systemd is valid", async () => {
  const unit = readFileSync(path.join(installed, "deploy/points.service"), "utf8");
  const file = path.join(path.dirname(installed), "points.service");
  // It is verified with the programs of this machine.
  await fs.writeFile(
    file,
    unit.replace("ExecStart=/usr/bin/node", `ExecStart=${process.execPath}`),
  );
  const { stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", file]);
  expect(`${stdout}${stderr}`).not.toContain("points.service");
});

test("a release carries its bill of materials", async () => {
  const { stdout } = await run("npm", ["run", "--silent", "sbom"], { cwd: installed });
  const { components } = JSON.parse(stdout) as { components: { name: string }[] };
  const names = new Set(components.map(({ name }) => name));
  for (const name of ["postgres", "react", "@node-rs/argon2"]) expect(names).toContain(name);
  expect(names.has("vitest")).toBe(false);
});
