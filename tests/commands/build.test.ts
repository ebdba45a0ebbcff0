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
  return { child, ended };
}

test("processes that start at once build once, one of them, and the others use it", async () => {
  const codes = await Promise.all(Array.from({ length: 4 }, () => startBuild().ended));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readNotes()).toBe("begin end ");
  expect(existsSync(path.join(folder, "node_modules/.build-lock"))).toBe(false);
});

test("kill -9 of the process that builds leaves no lock to those that wait", async () => {
  const first = startBuild();
  await expect.poll(() => existsSync(path.join(folder, "notes"))).toBe(true);
  const others = [startBuild(), startBuild()];
  first.child.kill("SIGKILL");
  expect(await Promise.all(others.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(
    readNotes()
      .split(" ")
      .filter((note) => note === "begin").length,
  ).toBeLessThanOrEqual(2);
});
