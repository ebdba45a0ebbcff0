import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { build } from "vite";
import { buildIfStale } from "../../app/commands/build.mjs";

/** The built servers: production's in build, the benchmarks' in build-bench. */
export const SERVERS = {
  production: "build/server/main.js",
  ours: "build-bench/server/server.js",
  plain: "build-bench/plain/plain-service.js",
} as const;

const SERVER_SOURCE = path.join(import.meta.dirname, "server.ts");
const PLAIN_SOURCE = path.join(import.meta.dirname, "plain-service.ts");

/**
 * Builds each server that is missing or older than its sources: production, then the same with
 * server.ts added.
 */
export async function buildServers(): Promise<void> {
  await buildIfStale();
  const sources = [SERVERS.production, SERVER_SOURCE, PLAIN_SOURCE];
  const newest = Math.max(...sources.map(getTime));
  if (Math.min(getTime(SERVERS.ours), getTime(SERVERS.plain)) > newest) return;
  console.error("Building the benchmarks' servers, about 15 seconds…");
  const command = ["node_modules/@remix-run/dev/dist/cli.js", "vite:build"];
  const result = spawnSync(
    process.execPath,
    [...command, "--mode", "bench", "--logLevel", "error"],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_ENV: "production" },
    },
  );
  if (result.status !== 0) throw new Error("The build failed");
  await build({
    configFile: false,
    logLevel: "error",
    build: {
      ssr: PLAIN_SOURCE,
      outDir: path.dirname(SERVERS.plain),
      target: "node20",
    },
  });
}

function getTime(file: string): number {
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}
