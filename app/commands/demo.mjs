import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { createDemoFixture, DEMO } from "../../drizzle/demo-fixture.mjs";

// npm run demo: everything on a fresh clone, with Node alone. Plain JavaScript without packages.

const NODE_MIN = { major: 20, minor: 19 };
const DATA_DIR = path.join(process.env.DATA_DIR || ".data", "demo");

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > NODE_MIN.major || (major === NODE_MIN.major && minor >= NODE_MIN.minor)) return;
  console.error(
    `Node ${NODE_MIN.major}.${NODE_MIN.minor} or later is needed; this is ${process.versions.node}.`,
  );
  process.exit(1);
}

/** @param {string} title */
function beginStep(title) {
  const startedAt = Date.now();
  process.stderr.write(`${title}…\n`);
  return () =>
    process.stderr.write(`  done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function installIfNeeded() {
  const installed = "node_modules/.package-lock.json";
  const isFresh =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync("package-lock.json").mtimeMs;
  if (isFresh) return;
  const endStep = beginStep("Installing packages, about a minute");
  const result = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
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
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

/** The port asked for, or the first free one from 3000 up. */
async function choosePort() {
  if (process.env.PORT) return Number(process.env.PORT);
  for (let port = 3000; port < 3100; port += 1) if (await isFree(port)) return port;
  return 0;
}

/** Loads the demo's data; a second start finds it there and changes nothing. */
function seed() {
  const endStep = beginStep("Loading the demo's data");
  const file = path.join(DATA_DIR, "fixture.json");
  writeFileSync(file, JSON.stringify(createDemoFixture(Date.now())), { mode: 0o600 });
  const result = spawnSync(process.execPath, ["--import", "tsx", "drizzle/seed.ts", file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(file);
  if (result.status !== 0) process.exit(result.status ?? 1);
  endStep();
}

checkNode();
installIfNeeded();
mkdirSync(DATA_DIR, { recursive: true });
const port = await choosePort();
// The demo is its own world: it never touches a database that you configured.
Object.assign(process.env, {
  DATA_DIR,
  DATABASE_URL: "",
  HOST: "127.0.0.1",
  PORT: String(port),
  APP_ORIGIN: "",
  LOG_LEVEL: process.env.LOG_LEVEL || "warn",
});

const { buildIfStale, serve } = await import("./build.mjs");
buildIfStale();
seed();
await serve();
if (process.exitCode) process.exit();

const url = `http://127.0.0.1:${port}`;
console.log(`
  Dashboard   ${url}/sign-in
  Sign-in     ${DEMO.email}
  Password    ${DEMO.password}
  API key     ${DEMO.apiKey}

  Fire a trigger:

  curl -X POST ${url}/trigger -H "Authorization: Bearer ${DEMO.apiKey}" -H "Content-Type: application/json" -d '{"triggerKey":"${DEMO.triggerKey}","walletAddress":"${DEMO.wallet}","pointSystemId":"${DEMO.pointSystemId}"}'

  See the leaderboard:

  curl -H "Authorization: Bearer ${DEMO.apiKey}" "${url}/leaderboard?pointSystemId=${DEMO.pointSystemId}&limit=5"

  Ctrl-C stops it; the data stays in ${DATA_DIR}.
`);
