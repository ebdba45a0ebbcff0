import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
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
 * Builds if the build is missing or older than its sources. A failed build ends the process.
 * @param {Mode} mode
 */
export async function buildIfStale(mode = "production") {
  if (!isBuildStale(mode)) return;
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
