import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findFoundry } from "../../../contracts/scripts/find-foundry.mjs";

// Runs the demo's own chain: anvil, as Base Sepolia. Plain JavaScript without packages.

const CHAIN_ID = 84532;
const START_MS_MAX = 20_000;
const STOP_MS_MAX = 10_000;
const LOOK_EVERY_MS = 50;

/**
 * Runs the chain as long as the pipe to the demo is open. The chain therefore also ends with a demo
 * that is killed, after it has written its state. The pid file exists while the chain runs, and
 * remains when the state could not be written. Plain POSIX sh, like the database's watchdog: it
 * costs almost nothing.
 */
const GUARD = `
file=$1
shift
exec 3<&0
"$@" </dev/null &
chain=$!
echo $chain > "$file"
(read -r _ <&3; kill -TERM $chain) &
reader=$!
wait $chain && rm -f "$file"
kill -KILL $reader
`;

/** @param {string} dataDir */
const getPidFile = (dataDir) => path.join(dataDir, "chain.pid");

/**
 * Checks whether the process of a pid file runs.
 * @param {string} file its first line is the process id
 * @returns {boolean} false without the file
 */
function isRunning(file) {
  if (!existsSync(file)) return false;
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    // A shell that has just started has not written its process id yet.
    return Number.isNaN(pid) || process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** @param {number} ms */
const sleepSync = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** @param {readonly string[]} files */
async function waitForEnd(files) {
  for (const endsAt = Date.now() + STOP_MS_MAX; files.some(isRunning); await sleep(LOOK_EVERY_MS)) {
    if (Date.now() > endsAt) return false;
  }
  return true;
}

/**
 * Waits until the chain of an earlier demo has ended.
 * @param {string} dataDir
 * @returns {Promise<boolean>} false when it still runs, and so does that demo
 */
export const waitForEarlierChain = (dataDir) => waitForEnd([getPidFile(dataDir)]);

/**
 * Removes all data of a demo.
 * @param {string} dataDir
 */
export async function removeDemo(dataDir) {
  await waitForEnd([path.join(dataDir, "pg", "postmaster.pid")]);
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * Checks whether the chain ended without writing its state: the database is then ahead of the
 * chain.
 * @param {string} dataDir
 * @returns {boolean}
 */
export const isChainLost = (dataDir) => existsSync(getPidFile(dataDir));

/**
 * Finds anvil, which does not exist for every platform.
 * @returns {string | null}
 */
function findAnvil() {
  try {
    return findFoundry("anvil");
  } catch {
    return null;
  }
}

/**
 * Starts the chain with its stored state. It ends when this process ends for any reason.
 * @param {string} dataDir
 * @param {string} host the address at which it listens
 * @param {number} port
 * @returns {Promise<string | null>} the chain's URL; null when it cannot run on this machine
 */
export async function startDemoChain(dataDir, host, port) {
  const anvil = findAnvil();
  if (anvil === null) return null;
  const pidFile = getPidFile(dataDir);
  const args = [
    ...["--host", host, "--port", String(port), "--chain-id", String(CHAIN_ID), "--silent"],
    ...["--state", path.join(dataDir, "chain.json")],
    // A transaction is mined at once, and final two blocks later.
    ...["--mixed-mining", "--block-time", "3", "--slots-in-an-epoch", "1"],
    // Without it, anvil writes older states into the home folder.
    ...["--prune-history", "1000"],
  ];
  const isWindows = process.platform === "win32";
  const [command, ...rest] = isWindows
    ? [anvil, ...args]
    : ["/bin/sh", "-c", GUARD, "demo-chain", pidFile, anvil, ...args];
  const child = spawn(command ?? "", rest, {
    // The chain is outside the terminal's process group: Ctrl-C must not reach it before the
    // service has ended.
    detached: !isWindows,
    stdio: ["pipe", "ignore", "ignore"],
  });
  let hasEnded = false;
  child.once("error", () => {
    hasEnded = true;
  });
  child.once("exit", () => {
    hasEnded = true;
  });
  child.stdin?.on("error", () => {});
  if (isWindows) writeFileSync(pidFile, `${child.pid}\n`);
  process.once("exit", () => {
    if (!hasEnded) stopChain(pidFile);
  });

  const url = `http://127.0.0.1:${port}`;
  for (const endsAt = Date.now() + START_MS_MAX; Date.now() < endsAt; await sleep(LOOK_EVERY_MS)) {
    if (hasEnded) break;
    if (!(await isDemoChain(url))) continue;
    child.unref();
    /** @type {import("node:net").Socket | null} */ (child.stdin)?.unref();
    child.once("exit", () =>
      console.error("The demo's chain has ended. Start the demo again for a new one."),
    );
    return url;
  }
  if (!hasEnded) stopChain(pidFile);
  rmSync(pidFile, { force: true });
  return null;
}

/** @param {string} url */
async function isDemoChain(url) {
  try {
    const reply = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      signal: AbortSignal.timeout(1_000),
    });
    return (await reply.json()).result === `0x${CHAIN_ID.toString(16)}`;
  } catch {
    return false;
  }
}

/**
 * Stops the chain and waits until it has written its state. A handler of `exit` calls it, which can
 * only wait synchronously.
 * @param {string} pidFile
 */
function stopChain(pidFile) {
  try {
    process.kill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), "SIGTERM");
  } catch {
    return; // The chain has already ended.
  }
  for (const endsAt = Date.now() + STOP_MS_MAX; isRunning(pidFile); sleepSync(LOOK_EVERY_MS)) {
    if (Date.now() > endsAt) return;
  }
}
