import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const BUILD = pathToFileURL(path.resolve("app/commands/build.mjs")).href;
/** Stands for Remix: it takes a moment, and notes when it begins and ends. */
const COMPILER = `
const fs = require("node:fs");
fs.appendFileSync("notes", "begin ");
setTimeout(() => {
  fs.mkdirSync("build/server", { recursive: true });
  fs.writeFileSync("build/server/main.js", "");
  fs.appendFileSync("notes", "end ");
}, 700);
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "points-build-"));
  const compiler = path.join(folder, "node_modules/@remix-run/dev/dist/cli.js");
  mkdirSync(path.dirname(compiler), { recursive: true });
  writeFileSync(compiler, COMPILER);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const readNotes = () => readFileSync(path.join(folder, "notes"), "utf8");

function startBuild() {
  const script = `await (await import(${JSON.stringify(BUILD)})).buildIfStale()`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let errors = "";
  child.stderr.on("data", (text) => {
    errors += text;
  });
  return { child, ended, errors: () => errors };
}

test("processes that start at once build once, one of them, and the others use it", async () => {
  const codes = await Promise.all(Array.from({ length: 4 }, () => startBuild().ended));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readNotes()).toBe("begin end ");
  expect(existsSync(path.join(folder, "node_modules/.build-lock"))).toBe(false);
});

test("kill -9 of the process that builds leaves no lock to those that wait", async () => {
  const first = startBuild();
  await expect.poll(() => existsSync(path.join(folder, "notes")), { timeout: 20_000 }).toBe(true);
  const others = [startBuild(), startBuild()];
  first.child.kill("SIGKILL");
  expect(await Promise.all(others.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(
    readNotes()
      .split(" ")
      .filter((note) => note === "begin").length,
  ).toBeLessThanOrEqual(2);
});

test("an install without development packages takes the build that is there, however old", async () => {
  const { ended: built } = startBuild();
  expect(await built).toBe(0);
  rmSync(path.join(folder, "node_modules"), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), "{}");
  const { ended, errors } = startBuild();
  expect({ code: await ended, errors: errors() }).toEqual({ code: 0, errors: "" });
});

test("an install without development packages and without a build says what to do", async () => {
  rmSync(path.join(folder, "node_modules"), { recursive: true });
  const { ended, errors } = startBuild();
  expect(await ended).toBe(1);
  expect(errors()).toBe(
    "There is no build here, and the development packages that make one are not installed. " +
      "Run npm ci --include=dev && npm run build, or unpack a release.\n",
  );
});
