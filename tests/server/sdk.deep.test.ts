import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { createReward, createShare } from "../support/rewards";
import { createAddress } from "../support/scene";
import { compileProgram, installSdk } from "../support/sdk-package";
import { cleanUps, inDatabase } from "../support/seeded-server";
import { createDataDir, SMALL_FIXTURE, seed, startServerProcess } from "../support/server-process";

const PACKAGE_BYTES_MAX = 10_000;

let project: string;
let packageBytes: number;
beforeAll(async () => {
  project = await fs.mkdtemp(path.join(os.tmpdir(), "points-sdk-"));
  packageBytes = await installSdk(project);
  return () => fs.rm(project, { recursive: true, force: true });
});

test("the package has no dependencies, and at most 10 kB gzipped", async () => {
  expect(packageBytes).toBeLessThanOrEqual(PACKAGE_BYTES_MAX);
  const installed = path.join(project, "node_modules");
  const packages = (await fs.readdir(installed)).filter((name) => !name.startsWith("."));
  expect(packages).toEqual(["points-and-rewards-sdk"]);
  const files = await fs.readdir(path.join(installed, "points-and-rewards-sdk"));
  expect(files.toSorted()).toEqual(["README.md", "dist", "package.json"]);
});

test("an application of the packed SDK passes `strict`, and credits, reads, verifies and is refused", async () => {
  const dataDir = await createDataDir();
  cleanUps.push(() => fs.rm(dataDir, { recursive: true, force: true }));
  const server = await startServerProcess({ dataDir });
  cleanUps.push(() => server.end("SIGTERM"));
  const { file, wallet, pointSystemId, token } = SMALL_FIXTURE;
  const airdrop = { onchainId: "7", contractAddress: createAddress(), status: "active" };
  const distributions = [createShare({ address: wallet }), createShare()];
  const blacklist = [{ address: `0x${"e".repeat(40)}`, reason: "Sybil" }];
  const rewards = [createReward({ airdrop, distributions })];
  await seed(dataDir, {
    ...file,
    pointSystems: [{ ...file.pointSystems[0], rewards, blacklist }],
  });

  const program = await compileProgram(project, "tests/support/sdk-app.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: {
      ...process.env,
      ...{ BASE_URL: server.url, API_KEY: token, POINT_SYSTEM_ID: pointSystemId, WALLET: wallet },
    },
  });
  const other = `0x${"b".repeat(40)}`;
  const credit = {
    success: true,
    pointsAdded: 10,
    triggerKey: "daily_login",
    walletAddress: wallet,
  };
  const output = JSON.parse(stdout);
  expect(output).toEqual({
    first: { ...credit, replayed: false },
    again: { ...credit, replayed: true },
    verdicts: [10, "trigger_not_found"],
    registered: { success: true, walletAddress: `0x${"c".repeat(40)}`, created: true },
    ranks: { [wallet]: 1, [other]: 2, [`0x${"c".repeat(40)}`]: 3 },
    points: [10, 10, 25],
    metadata: [{ order: "2" }, null, null],
    boosts: [null, null, null],
    wallet: { address: wallet, points: 35, events: 2, rank: 1 },
    systems: 1,
    rewards: 1,
    eligible: 1,
    root: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    isVerified: true,
    refusals: [
      "trigger_not_found",
      "invalid_wallet_address",
      "point_system_out_of_scope",
      "wallet_not_found",
      "wallet_blacklisted",
    ],
  });
  await inDatabase(dataDir, async (sql) => {
    const rows = await sql`select '0x' || encode(root, 'hex') as root from merkle_buckets`;
    expect(rows.map(({ root }) => root)).toContain(output.root);
  });
});
