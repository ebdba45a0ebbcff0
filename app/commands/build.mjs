import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

// Plain JavaScript: it runs before anything is built.

const SERVER = "build/server/main.js";
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
 * @param {string} file
 * @returns {number} when the file, or the newest one in the folder, was changed
 */
function getNewestChange(file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(file).map((name) => getNewestChange(path.join(file, name)));
  return Math.max(stats.mtimeMs, ...inside);
}

function isBuildStale() {
  if (!existsSync(SERVER)) return true;
  const builtAt = statSync(SERVER).mtimeMs;
  return SOURCES.some((source) => existsSync(source) && getNewestChange(source) > builtAt);
}

/** Builds if the build is missing or older than its sources; ends the process when that fails. */
export function buildIfStale() {
  if (!isBuildStale()) return;
  console.error("Building, about 15 seconds…");
  const result = spawnSync(
    process.execPath,
    ["node_modules/@remix-run/dev/dist/cli.js", "vite:build", "--logLevel", "error"],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_ENV: "production" },
    },
  );
  if (result.status === 0) return;
  console.error("The build failed.");
  process.exit(result.status ?? 1);
}

/** Runs the built server in this process. */
export async function serve() {
  await import(pathToFileURL(path.resolve(SERVER)).href);
}

/** Does the background work in this process, and nothing else. */
export async function work() {
  await import(pathToFileURL(path.resolve(WORKER)).href);
}
