import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { applyPatches, arePatchesMissing } from "./patches.mjs";
import { runNode } from "./run-node.mjs";

// Plain JavaScript: it runs before the build exists.

/** @typedef {"production" | "demo"} Mode only a demo's build has a wallet in its pages */
/** The output folders, as vite.config.ts names them. */
const FOLDERS = { production: "build", demo: "build-demo" };
/** @param {Mode} mode */
const getServer = (mode) => path.join(FOLDERS[mode], "server/main.js");
/** The program that builds: one of the development packages. */
const BUILDER = "node_modules/@remix-run/dev/dist/cli.js";
const SOURCES = [
  "app",
  "contracts/scripts",
  "drizzle/seed.ts",
  "public",
  "package.json",
  "package-lock.json",
  "vite.config.ts",
  "tailwind.config.ts",
  "postcss.config.js",
  "tsconfig.json",
];

/**
 * Finds the time of the newest change.
 * @param {string} file
 * @returns {number} when the file, or the newest file in the folder, was changed
 */
function getNewestChange(file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(file).map((name) => getNewestChange(path.join(file, name)));
  return Math.max(stats.mtimeMs, ...inside);
}

/** @param {Mode} mode */
function isBuildStale(mode) {
  const server = getServer(mode);
  if (!existsSync(server)) return true;
  const builtAt = statSync(server).mtimeMs;
  return SOURCES.some((source) => existsSync(source) && getNewestChange(source) > builtAt);
}

/**
 * Checks whether a process runs.
 * @param {number} pid
 */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Removes the lock of a dead process. It is renamed first: another process may have replaced it.
 * @param {string} lock
 * @param {string} own a file of this process
 */
function removeDeadLock(lock, own) {
  try {
    const owner = readFileSync(lock, "utf8");
    if (isRunning(Number(owner))) return;
    renameSync(lock, own);
    if (readFileSync(own, "utf8") !== owner) linkSync(own, lock);
  } catch {
    // It has just been removed.
  }
}

/**
 * Takes the lock of a build, unless another process has it. The lock of a dead process is removed.
 * @param {string} lock the lock's file, which contains its owner's process id
 * @returns {boolean}
 */
function takeLock(lock) {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, lock);
    return true;
  } catch {
    removeDeadLock(lock, own);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Builds if the build is missing or older than its sources. A production install has no development
 * packages to build with: it takes the build that it came with, and without one the process ends.
 * @param {Mode} mode
 */
export async function buildIfStale(mode = "production") {
  if (existsSync(BUILDER)) return buildByTurns(mode);
  if (existsSync(getServer(mode))) return;
  console.error(
    "There is no build here, and the development packages that make one are not installed. " +
      "Run npm ci --include=dev && npm run build, or unpack a release.",
  );
  process.exit(1);
}

/**
 * Builds if the build is missing or older than its sources, and applies the patches of packages if an
 * install without scripts left them out. Processes that start at once build one
 * after the other, and all but the first find a build. A failed build ends the process.
 * @param {Mode} mode
 */
async function buildByTurns(mode) {
  if (!isBuildStale(mode) && !arePatchesMissing()) return;
  const lock = path.join("node_modules", `.${FOLDERS[mode]}-lock`);
  for (let isTold = false; !takeLock(lock); isTold = true) {
    if (!isTold) console.error("Waiting for another process that builds…");
    await sleep(200);
  }
  const unlock = () => rmSync(lock, { force: true });
  process.once("exit", unlock);
  try {
    await applyPatches();
    if (isBuildStale(mode)) await build(mode);
  } finally {
    unlock();
    process.off("exit", unlock);
  }
}

/** @param {Mode} mode */
async function build(mode) {
  const stopTelling = tellProgress();
  const status = await runNode([BUILDER, "vite:build", "--mode", mode, "--logLevel", "error"], {
    NODE_ENV: "production",
  });
  stopTelling();
  if (status === 0) return;
  console.error("The build failed.");
  process.exit(status);
}

/**
 * Tells that a build runs; on a terminal, how long it has been running.
 * @returns {() => void} ends the telling
 */
function tellProgress() {
  const startedAt = Date.now();
  const count = () => `${Math.round((Date.now() - startedAt) / 1_000)} s`;
  if (!process.stderr.isTTY) {
    console.error("Building, some 15 seconds to some minutes…");
    return () => console.error(`Built in ${count()}.`);
  }
  const tell = () => process.stderr.write(`\rBuilding… ${count()} `);
  tell();
  const timer = setInterval(tell, 1_000);
  return () => {
    clearInterval(timer);
    process.stderr.write("\n");
  };
}

/**
 * Reads the arguments of a command that has no options. A wrong call ends the process with a sentence, the command's
 * usage and status 2.
 * @param {string} usage
 */
export function readArguments(usage, argumentsMax = 0) {
  const given = process.argv.slice(2);
  const wrong = given.find((argument, i) => i >= argumentsMax || /^(-|$)/.test(argument));
  if (wrong === undefined) return given;
  console.error(`Unexpected argument '${wrong}'. Usage: ${usage}`);
  process.exit(2);
}

/**
 * Ends the process if it was given arguments: settings come from the environment and `.env` alone.
 * @param {string} command
 */
export function refuseArguments(command) {
  readArguments(`${command}, with its settings in .env or the environment`);
}

/**
 * Runs the built server in this process.
 * @param {Mode} mode
 */
export async function serve(mode = "production") {
  await import(pathToFileURL(path.resolve(getServer(mode))).href);
}

/**
 * Runs a command of the build in this process, by the name of its file.
 * @param {string} name
 */
export async function run(name) {
  await import(pathToFileURL(path.resolve("build/server", `${name}.js`)).href);
}
