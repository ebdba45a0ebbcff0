import { spawn } from "node:child_process";
import { Redis } from "ioredis";
import { ensureProgram } from "../support/ensure-program";
import { findFreePort } from "../support/free-port";
import type { Defer } from "./clean-up";
import { createDataDir } from "./cluster";

const INSTALL_HINT =
  "This benchmark needs redis-server. Debian and Ubuntu: apt-get install redis-server. macOS: brew install redis.";

/** Starts a Redis that stores nothing on disk, on a free port of the loopback interface. */
export async function startRedis(defer: Defer): Promise<Redis> {
  ensureProgram("redis-server", "redis-server", INSTALL_HINT);
  const port = await findFreePort();
  const child = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    { cwd: createDataDir(defer), stdio: "ignore" },
  );
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  defer(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const redis = new Redis({
    port,
    host: "127.0.0.1",
    retryStrategy: () => 50,
    maxRetriesPerRequest: 200,
  });
  // Redis does not listen yet: the client tries again.
  redis.on("error", () => {});
  defer(() => redis.disconnect());
  await redis.ping();
  return redis;
}
