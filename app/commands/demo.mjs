import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import path from "node:path";
import { DEMO } from "../../drizzle/demo-fixture.mjs";
import { makeDir } from "../process/make-dir.mjs";
import { buildIfStale, refuseArguments, serve } from "./build.mjs";
import { isChainLost, removeDemo, startDemoChain, waitForEarlierChain } from "./demo/chain.mjs";
import { makeSettings } from "./demo/settings.mjs";
import { runNode } from "./run-node.mjs";

// npm run demo: runs everything on a fresh clone with only Node. Plain JavaScript without packages.

const NODE_MIN = { major: 20, minor: 19 };
const DATA_DIR = path.join(process.env.DATA_DIR || ".data", "demo");
/** Marks that all data is loaded. The number changes with the kind of data. */
const SEEDED_FILE = path.join(DATA_DIR, "seeded-2");
/** The address of the public pages: one of the machine's own opens them to phones in its network. */
const PUBLIC_HOST = process.env.HOST || "127.0.0.1";
const LISTEN_HOST = PUBLIC_HOST === "127.0.0.1" ? PUBLIC_HOST : "0.0.0.0";
const WITHOUT_CHAIN = "without a chain";

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > NODE_MIN.major || (major === NODE_MIN.major && minor >= NODE_MIN.minor)) return;
  console.error(
    `Node ${NODE_MIN.major}.${NODE_MIN.minor} or later is needed; this is ${process.versions.node}.`,
  );
  process.exit(1);
}

/** Creates the folder of the demo's data. The process ends with a sentence where nothing can be written. */
function makeDataDir() {
  try {
    makeDir(DATA_DIR);
    accessSync(DATA_DIR, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    console.error(`DATA_DIR: ${DATA_DIR} cannot be used: ${reason}`);
    process.exit(1);
  }
}

/** @param {string} title */
function beginStep(title) {
  const startedAt = Date.now();
  process.stderr.write(`${title}…\n`);
  return () =>
    process.stderr.write(`  done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/**
 * Checks whether the installed packages match package-lock.json.
 * @returns {boolean}
 */
function isInstalled() {
  const installed = "node_modules/.package-lock.json";
  if (!existsSync(installed)) return false;
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, "utf8")).packages;
  const there = read(installed);
  return Object.entries(read("package-lock.json")).every(([place, wanted]) => {
    if (place === "") return true;
    const { version, optional = false, devOptional = false, peer = false } = wanted;
    if (there[place]) return there[place].version === version;
    return optional || devOptional || peer;
  });
}

function installIfNeeded() {
  if (isInstalled()) return;
  const endStep = beginStep("Installing packages, about a minute");
  const result = spawnSync("npm", ["ci", "--include=dev", "--no-audit", "--no-fund"], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
  endStep();
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, LISTEN_HOST, () => probe.close(() => resolve(true)));
  });
}

/**
 * Finds the first free port from a number up.
 * @param {number} from
 * @returns {Promise<number>} 0 when there is none
 */
async function findFreePort(from) {
  for (let port = from; port < from + 100; port += 1) if (await isFree(port)) return port;
  return 0;
}

/**
 * Finds the reason why the stored data cannot be used.
 * @returns {string | null}
 */
function findReasonToBeginAnew() {
  if (readdirSync(DATA_DIR).length === 0) return null;
  if (isChainLost(DATA_DIR)) return "The chain was ended before it could write its state";
  if (existsSync(SEEDED_FILE)) return null;
  return `${DATA_DIR} is of another version, or of a first start that was ended`;
}

/**
 * Loads the demo's data and creates its transactions on the chain, once.
 * @param {boolean} hasChain
 */
async function seed(hasChain) {
  if (existsSync(SEEDED_FILE)) return;
  const endStep = beginStep("Loading the demo's data");
  const status = await runNode(["--import", "tsx", "drizzle/seed-demo.ts"]);
  if (status !== 0) process.exit(status);
  writeFileSync(SEEDED_FILE, hasChain ? "" : WITHOUT_CHAIN);
  endStep();
}

/** Starts the chain, unless the data was loaded without one: campaigns are not added later. */
async function startChainIfSeeded() {
  if (existsSync(SEEDED_FILE) && readFileSync(SEEDED_FILE, "utf8") === WITHOUT_CHAIN) return null;
  const { DEMO_CHAIN_PORT } = process.env;
  const port = DEMO_CHAIN_PORT ? Number(DEMO_CHAIN_PORT) : await findFreePort(8545);
  return startDemoChain(DATA_DIR, LISTEN_HOST, port);
}

/**
 * Ends the process, and with it everything it started. The service's own handlers replace these.
 */
const endEarly = () => process.exit(130);
const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

checkNode();
refuseArguments("npm run demo");
for (const signal of SIGNALS) process.on(signal, endEarly);
makeDataDir();
installIfNeeded();
if (!(await waitForEarlierChain(DATA_DIR))) {
  console.error(`Another demo runs with ${DATA_DIR}. Stop it, or set DATA_DIR to another folder.`);
  process.exit(1);
}
const reason = findReasonToBeginAnew();
if (reason !== null) {
  console.error(`${reason}: the demo begins anew.`);
  await removeDemo(DATA_DIR);
  makeDataDir();
}
const port = process.env.PORT ? Number(process.env.PORT) : await findFreePort(3000);
const rpcUrl = await startChainIfSeeded();
const publicRpcUrl = rpcUrl?.replace("127.0.0.1", PUBLIC_HOST) ?? null;
Object.assign(process.env, makeSettings(DATA_DIR, rpcUrl, publicRpcUrl), {
  HOST: LISTEN_HOST,
  PORT: String(port),
  LOG_LEVEL: process.env.LOG_LEVEL || "warn",
});

await Promise.all([buildIfStale("demo"), seed(rpcUrl !== null)]);
for (const signal of SIGNALS) process.off(signal, endEarly);
await serve("demo");
if (process.exitCode) process.exit();

const url = `http://127.0.0.1:${port}`;
const publicUrl = `http://${PUBLIC_HOST}:${port}`;

function describeChain() {
  if (rpcUrl === null) {
    return `  Without a chain: anvil (npm package @foundry-rs/anvil) is not installed or does not run on this
  machine, ${process.platform}-${process.arch}. Nothing can be claimed. To try again, remove ${DATA_DIR}.
`;
  }
  return `  Claim, as a wallet with test money whose key is public (for this demo only; it is in the page):

  Claim page  ${publicUrl}/claim/harbor?wallet=${DEMO.wallet}
  Wallet      ${DEMO.wallet}
  Chain       ${rpcUrl} (anvil, as chain ${DEMO.chainId})
`;
}

console.log(`
  Dashboard   ${url}/sign-in
  Sign-in     ${DEMO.email}
  Password    ${DEMO.password}
  API key     ${DEMO.apiKey}

  Fire a trigger:

  curl -X POST ${url}/trigger -H "Authorization: Bearer ${DEMO.apiKey}" -H "Content-Type: application/json" -d '{"triggerKey":"${DEMO.triggerKey}","walletAddress":"${DEMO.wallet}","pointSystemId":"${DEMO.pointSystemId}"}'

  See three wallets of one holder, and what wallets spent:

  ${url}/dashboard/${DEMO.pointSystemId}/wallets/${DEMO.holder.primary}
  ${url}/dashboard/${DEMO.pointSystemId}/spends

  See the leaderboard:

  curl -H "Authorization: Bearer ${DEMO.apiKey}" "${url}/leaderboard?pointSystemId=${DEMO.pointSystemId}&limit=5"

${describeChain()}
  Ctrl-C stops it; the data stays in ${DATA_DIR}.
`);
