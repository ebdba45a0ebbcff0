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
import { runNode } from "./run-node.mjs";

// Plain JavaScript: it runs before the build exists.

/** @typedef {"production" | "demo"} Mode only a demo's build has a wallet in its pages */
/** The output folders, as vite.config.ts names them. */
const FOLDERS = { production: "build", demo: "build-demo" };
/** @param {Mode} mode */
const getServer = (mode) => path.join(FOLDERS[mode], "server/main.js");
const WORKER = "build/server/worker-main.js";
const SOURCES = [
  "app",
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
 * Builds if the build is missing or older than its sources. Processes that start at once build one
 * after the other, and all but the first find a build. A failed build ends the process.
 * @param {Mode} mode
 */
export async function buildIfStale(mode = "production") {
  if (!isBuildStale(mode)) return;
  const lock = path.join("node_modules", `.${FOLDERS[mode]}-lock`);
  for (let isTold = false; !takeLock(lock); isTold = true) {
    if (!isTold) console.error("Waiting for another process that builds…");
    await sleep(200);
  }
  const unlock = () => rmSync(lock, { force: true });
  process.once("exit", unlock);
  try {
    if (isBuildStale(mode)) await build(mode);
  } finally {
    unlock();
    process.off("exit", unlock);
  }
}

/** @param {Mode} mode */
async function build(mode) {
  console.error("Building, about 15 seconds…");
  const command = ["node_modules/@remix-run/dev/dist/cli.js", "vite:build"];
  const status = await runNode([...command, "--mode", mode, "--logLevel", "error"], {
    NODE_ENV: "production",
  });
  if (status === 0) return;
  console.error("The build failed.");
  process.exit(status);
}

/**
 * Runs the built server in this process.
 * @param {Mode} mode
 */
export async function serve(mode = "production") {
  await import(pathToFileURL(path.resolve(getServer(mode))).href);
}

/** Runs only the background work in this process. */
export async function work() {
  await import(pathToFileURL(path.resolve(WORKER)).href);
}
