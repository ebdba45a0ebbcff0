import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { expect, type Page } from "@playwright/test";
import { createPublicClient, type Hex, http, parseEventLogs } from "viem";
import { isAlive } from "../../../app/db/embedded/processes";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { DEMO } from "../../../drizzle/demo-fixture.mjs";
import { getTestAccount } from "../../support/chain/anvil";
import { expectNoOverflow, signIn, test } from "../../support/e2e/server";
import { createDataDir } from "../../support/server-process";

// Runs the real `npm run demo` from its first line to its last process.

const WALLET_NAME = "Demo wallet (test only)";

let dataDir: string;
let npm: ChildProcess | null = null;
test.beforeAll(async () => {
  dataDir = await createDataDir({ isEmpty: true });
});
test.afterAll(async () => {
  if (npm?.pid) process.kill(-npm.pid, "SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
});

/**
 * Starts the demo as a terminal does, and waits for a line that it prints: the last line, or
 * another.
 */
async function startDemo(until = "Ctrl-C stops it") {
  const child = spawn("npm", ["run", "demo"], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DATA_DIR: dataDir, PORT: "" },
  });
  npm = child;
  const pid = child.pid ?? 0;
  let output = "";
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      if (output.includes(until)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then(() => reject(new Error(`The demo ended: ${output}`)));
  });
  const find = (pattern: RegExp) => pattern.exec(output)?.[1] ?? "";
  return {
    output,
    url: find(/Dashboard +(http:\/\/[^/\s]+)/),
    claimUrl: find(/Claim page +(\S+)/),
    chainUrl: find(/Chain +(http\S+)/),
    /** The process and all that it started. */
    processes: listDescendants(pid),
    /** Presses Ctrl-C in its terminal. */
    async interrupt() {
      process.kill(-pid, "SIGINT");
      await exited;
      npm = null;
      expect(output).not.toContain("Warning:");
    },
    async kill() {
      process.kill(-pid, "SIGKILL");
      await exited;
      npm = null;
    },
  };
}

interface Descendant {
  readonly pid: number;
  readonly parent: number;
  readonly startTicks: string;
  readonly command: string;
}

function listProcesses(): Descendant[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      const [, parent, ...rest] = fields;
      return [{ pid: Number(name), parent: Number(parent), startTicks: rest[17] ?? "", command }];
    } catch {
      return []; // The process has ended meanwhile.
    }
  });
}

function listDescendants(root: number): Descendant[] {
  const all = listProcesses();
  const isBeneath = (pid: number): boolean => {
    if (pid === root) return true;
    const parent = all.find((one) => one.pid === pid)?.parent;
    return parent !== undefined && isBeneath(parent);
  };
  return all.filter(({ pid }) => isBeneath(pid));
}

/** Lists the processes of a demo, and those that name its folder, that are still running. */
const listLeftOvers = (processes: readonly Descendant[]) =>
  [...processes, ...listProcesses().filter(({ command }) => command.includes(dataDir))]
    .filter(({ pid, startTicks }) => isAlive(pid, startTicks))
    .map(({ command }) => command);

async function expectNothingLeft(processes: readonly Descendant[]): Promise<void> {
  await expect.poll(() => listLeftOvers(processes), { timeout: 30_000 }).toEqual([]);
}

interface StatusEntry {
  readonly kind: string;
  readonly claimedAt: string | null;
}

/** Counts a wallet's shares that are claimed, or those that are not. */
async function countShares(url: string, address: string, isClaimed: boolean): Promise<number> {
  const query = `address=${address}&pointSystemId=${DEMO.pointSystemId}`;
  const reply = await fetch(`${url}/rewards/claim-status?${query}`);
  const { distributions } = (await reply.json()) as { distributions: StatusEntry[] };
  return distributions.filter(
    ({ kind, claimedAt }) => kind === "token" && (claimedAt !== null) === isClaimed,
  ).length;
}

/** Reads from a demo's chain who had a claim paid to another address, and the payments by another wallet. */
async function readChain(url: string) {
  const client = createPublicClient({ transport: http(url) });
  const logs = await client.getLogs({ address: CAMPAIGN_CONTRACT_ADDRESS, fromBlock: 0n });
  const events = parseEventLogs({ abi: campaignAbi, logs });
  const hashes = new Set(events.map(({ transactionHash }) => transactionHash));
  const senders = new Map<Hex, string>();
  for (const hash of hashes) senders.set(hash, (await client.getTransaction({ hash })).from);
  return {
    redirections: events.flatMap(({ eventName, args }) =>
      eventName === "Redirected" ? [{ account: args.account, to: args.to }] : [],
    ),
    paidOut: events.filter(
      ({ eventName, args, transactionHash }) =>
        eventName === "Claimed" && args.account.toLowerCase() !== senders.get(transactionHash),
    ).length,
  };
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

test("the demo is the whole loop in one command, and nothing is left of it", {
  tag: "@deep",
}, async ({ page }) => {
  test.setTimeout(400_000);
  const first = await startDemo();
  const { url, claimUrl } = first;
  expect(claimUrl).toBe(`${url}/claim/harbor?wallet=${DEMO.wallet}`);
  const commands = first.processes.map(({ command }) => command).join("\n");
  for (const program of ["/anvil ", "postgres -D ", "demo.mjs"])
    expect(commands).toContain(program);
  // One campaign is paid out to everybody; the wallet can claim the other one, and its second round.
  const chain = await readChain(first.chainUrl);
  expect(chain.paidOut).toBeGreaterThan(50);
  await expect.poll(() => countShares(url, DEMO.wallet, true), { timeout: 30_000 }).toBe(1);
  expect(await countShares(url, DEMO.wallet, false)).toBe(2);

  const holder = getTestAccount(7).address;
  await expect.poll(() => countShares(url, holder, true), { timeout: 30_000 }).toBe(2);
  expect(chain.redirections).toEqual([{ account: holder, to: getTestAccount(8).address }]);

  await page.goto(claimUrl);
  await button(page, WALLET_NAME).click();
  await expect(page.getByText("Its key is public")).toBeVisible();
  await button(page, /^Claim all/).click();
  await expect.poll(() => countShares(url, DEMO.wallet, true), { timeout: 60_000 }).toBe(3);
  await expect(page.getByText("Claimed", { exact: true })).toHaveCount(3, { timeout: 30_000 });
  await button(page, "Reveal the code").click();
  await expect(page.getByText("DEMO-SILVER-1000")).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page);

  // An open page would report an error when the service stops.
  await page.goto("about:blank");
  await first.interrupt();
  await expectNothingLeft(first.processes);

  const second = await startDemo();
  expect(second.output).not.toContain("begins anew");
  expect(await countShares(second.url, DEMO.wallet, true)).toBe(3);
  await page.goto(`${second.url}/sign-in`);
  await signIn(page, DEMO.email, DEMO.password);
  await expect(page.getByRole("heading", { name: "Point systems" })).toBeVisible();
  for (const [campaign, held] of [
    [DEMO.rewards.claimed, /The contract holds [1-9]/],
    [DEMO.rewards.paidOut, /The contract holds 0 ETH of 4\.5 ETH/],
  ] as const) {
    await page.goto(`${second.url}/dashboard/${DEMO.pointSystemId}/rewards/${campaign}/chain`);
    await expect(button(page, WALLET_NAME).or(button(page, "Disconnect"))).toBeVisible();
    await button(page, "Check with the chain").click();
    await expect(page.getByText(held)).toBeVisible();
  }

  await page.goto("about:blank");
  await second.kill();
  await expectNothingLeft(second.processes);
});

test("data that is ahead of its chain goes with it, and a start that is broken off leaves nothing running", {
  tag: "@deep",
}, async () => {
  const demoDir = path.join(dataDir, "demo");
  // Simulates a power cut: the chain's pid file exists, and its process does not.
  await fs.writeFile(path.join(demoDir, "chain.pid"), "999999999\n");
  await fs.writeFile(path.join(demoDir, "of-the-earlier-one"), "");
  const third = await startDemo("Loading the demo's data");
  expect(third.output).toContain("The chain was ended before it could write its state");
  expect(await fs.readdir(demoDir)).not.toContain("of-the-earlier-one");
  expect(third.processes.map(({ command }) => command).join("\n")).toContain("/anvil ");
  await third.interrupt();
  await expectNothingLeft(third.processes);
  expect(await fs.readdir(demoDir)).not.toContain("seeded-2");
});

test("only a demo's build has the wallet", { tag: "@deep" }, async () => {
  const read = async (folder: string) => {
    const names = await fs.readdir(folder, { recursive: true });
    const scripts = names.filter((name) => name.endsWith(".js"));
    expect(scripts).not.toEqual([]);
    const texts = scripts.map((name) => fs.readFile(path.join(folder, name), "utf8"));
    return (await Promise.all(texts)).join("\n");
  };
  for (const words of ["test test test test", WALLET_NAME, "Its key is public"]) {
    expect(await read("build-demo/client")).toContain(words);
    expect(await read("build/client")).not.toContain(words);
    expect(await read("build/server")).not.toContain(words);
  }
});
