import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "../support/free-port";
import { cleanUps, startSeededServer } from "../support/seeded-server";
import { runCommand, waitUntil } from "../support/server-process";

const PROGRAM = "/usr/sbin/pgbouncer";
const isRoot = process.getuid?.() === 0;
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "points-pooler-"));
  chmodSync(folder, 0o755);
  if (existsSync(PROGRAM) || !isRoot) return;
  try {
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    const install = ["install", "-y", "-qq", "--no-install-recommends", "pgbouncer"];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    execFileSync("apt-get", install, { stdio: "ignore", env });
  } catch {
    // Without it the tests say that they did not run.
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts PgBouncer before the database of a data dir, until the test's end. */
async function startPooler(dataDir: string, mode: string, more: string): Promise<string> {
  const port = await findFreePort();
  const password = readFileSync(path.join(dataDir, "pg/app-password"), "utf8").trim();
  const settings = path.join(folder, `${port}.ini`);
  writeFileSync(
    settings,
    `[databases]
points = host=${path.join(dataDir, "pg-run")} port=5432 user=app password=${password} dbname=points
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${more}
`,
  );
  // The socket's folder is PostgreSQL's user's alone, who may not be root.
  const user = isRoot
    ? ["-u", execFileSync("stat", ["-c", "%U", `${dataDir}/pg`], { encoding: "utf8" }).trim()]
    : [];
  const child: ChildProcess = spawn(PROGRAM, [...user, settings], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  cleanUps.push(() => {
    child.kill("SIGKILL");
    return ended;
  });
  const url = `postgres://app:any@127.0.0.1:${port}/points`;
  await waitUntil(
    () =>
      new Promise((resolve) => {
        const socket = net.connect(port, "127.0.0.1");
        socket.once("connect", () => resolve(true));
        socket.once("error", () => resolve(false));
        socket.once("close", () => socket.destroy());
      }),
    20_000,
  );
  return url;
}

const IGNORED =
  "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,synchronous_commit,jit,enable_seqscan,lock_timeout,default_transaction_isolation,bytea_output,array_nulls,idle_session_timeout,extra_float_digits";

test.for([
  ["session", "", "unsupported startup parameter"],
  ["session", IGNORED, "The settings of connections do not arrive"],
  ["transaction", IGNORED, "The settings of connections do not arrive"],
])(
  "PgBouncer in %s mode is refused in a sentence (%j)",
  async ([mode = "", more = "", reason = ""], { skip }) => {
    if (!existsSync(PROGRAM)) skip("There is no PgBouncer here");
    const { dataDir } = await startSeededServer();
    const DATABASE_URL = await startPooler(dataDir, mode, more);
    const env = { DATABASE_URL, DATA_DIR: folder };
    for (const command of ["migrate", "ledger-verify"]) {
      await expect(runCommand([command], env)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(`${reason}.*name PostgreSQL itself in DATABASE_URL`),
        ),
      });
    }
  },
);
