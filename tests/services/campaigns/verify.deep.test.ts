import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { encodeFunctionData, type Hex, toHex, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { loader as loadFile } from "../../../app/routes/claims/tree-file";
import { loader as loadCsv } from "../../../app/routes/dashboard/campaigns/allocation-csv";
import { loader as loadTrees } from "../../../app/routes/dashboard/campaigns/trees-json";
import { getCampaign } from "../../../app/services/campaigns/campaigns";
import { startRound, startSplit } from "../../../app/services/campaigns/splits";
import { makeTreeFiles } from "../../../app/services/campaigns/tree-files";
import { buildSplit, createActive, distribute } from "../../support/campaign-drafts";
import { getTestAccount, startAnvil } from "../../support/chain/anvil";
import { callContract } from "../../support/chain/campaigns";
import { findOwner, grant } from "../../support/operators";
import { callLoader, callPublicLoader } from "../../support/pages";
import { createAddress, scene } from "../../support/scene";

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let folder: string;
beforeAll(async () => {
  anvil = await startAnvil();
  folder = await fs.mkdtemp(path.join(os.tmpdir(), "campaign-"));
});
afterAll(async () => {
  await anvil.stop();
  await fs.rm(folder, { recursive: true, force: true });
});

/** Runs the script as people do. */
async function verify(...args: string[]): Promise<{ code: number; output: string }> {
  const command = ["--import", "tsx", "docs/verify-campaign.ts", ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

async function save(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await fs.writeFile(file, text);
  return file;
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any part of the file
async function tamper(text: string, change: (file: any) => void): Promise<string> {
  const file = JSON.parse(text);
  change(file);
  return save("tampered.json", JSON.stringify(file));
}

/**
 * Creates a campaign on chain: 300 wallets in three trees, and a later wallet in a separate one.
 */
async function createOnChain() {
  const events = Array.from({ length: 300 }, (_, i) => ({
    address: createAddress(),
    points: ((i * 37) % 1_000) + 1,
  }));
  const { pointSystemId } = await scene({ events });
  const owner = await findOwner(pointSystemId);
  const { id } = await createActive(owner, {
    totalAmount: "0.000000000000012345",
    minPoints: 10,
    maxPoints: 500,
    claimDeadline: new Date("2099-01-01T00:00:00.000Z"),
    deadlineTimeZone: "UTC",
  });
  await startSplit(owner, id, null);
  await buildSplit(owner, id);
  await distribute(owner, id, {
    // Other tests of this database have airdrops with the first ids of their chains.
    onchainId: BigInt(randomInt(1_000_000, 1_000_000_000)),
    contractAddress: CAMPAIGN_CONTRACT_ADDRESS,
  });
  await grant(owner, createAddress(), 77);
  await startRound(owner, id, "0.000000000000000009");
  await buildSplit(owner, id);
  const trees = await (await callLoader(loadTrees, owner, { rewardId: id })).text();
  return { owner, id, trees };
}

async function createAirdrop(trees: string): Promise<void> {
  const file = JSON.parse(trees);
  const buckets = file.buckets.map((one: { root: Hex; totalAmountWei: string }) => ({
    root: one.root,
    total: BigInt(one.totalAmountWei),
  }));
  const value = buckets.reduce((sum: bigint, { total }: { total: bigint }) => sum + total, 0n);
  const account = getTestAccount(0);
  await anvil.send(account, {
    to: CAMPAIGN_CONTRACT_ADDRESS,
    value,
    data: encodeFunctionData({
      abi: campaignAbi,
      functionName: "create",
      args: [
        zeroAddress,
        Date.parse(file.claimDeadline) / 1_000,
        account.address,
        toHex(randomBytes(32)),
        buckets,
      ],
    }),
  });
}

test("files of a campaign are reckoned again and agree with the chain; what is changed is found", async () => {
  const { owner, id, trees } = await createOnChain();
  const file = await save("trees.json", trees);
  const csv = await save(
    "allocation.csv",
    await (await callLoader(loadCsv, owner, { rewardId: id })).text(),
  );
  const right = await verify(file, "--csv", csv);
  expect(right.output).toContain("Everything is as the file says.");
  expect(right.output).toContain("ok       split 1: 1 amounts from points");
  expect(right.code).toBe(0);

  const missing = await verify(file, "--rpc", anvil.rpcUrl);
  expect(missing.output).toContain("there is no airdrop");
  expect(missing.code).toBe(1);
  await createAirdrop(trees);
  const parsed = JSON.parse(trees);
  const placed = { ...parsed, onchainId: String(await findLastAirdrop()) };
  const onChain = await save("onchain.json", JSON.stringify(placed));
  const chain = await verify(onChain, "--rpc", anvil.rpcUrl);
  expect(chain.output).toContain("ok       the chain");
  expect(chain.output).toContain("12354 base units are unclaimed on chain");
  expect(chain.code).toBe(0);

  // A deadline that was extended since is told, and is no difference.
  const { claimDeadline } = placed;
  const early = new Date(Date.parse(claimDeadline) - 86_400_000).toISOString();
  const extended = await tamper(JSON.stringify(placed), (f) => (f.claimDeadline = early));
  const told = await verify(extended, "--rpc", anvil.rpcUrl);
  expect(told.output).toContain("longer than the file says");
  expect(told.code).toBe(0);

  const text = JSON.stringify(placed);
  // biome-ignore lint/suspicious/noExplicitAny: tests change any part of the file
  const changes: [string, (file: any) => void, string, ...string[]][] = [
    ["an amount", (f) => (f.buckets[1].leaves[3][2] += "0"), "root of tree 1"],
    ["points", (f) => (f.buckets[0].leaves[0][1] = 400), "sum of weights of split 0"],
    ["a root", (f) => (f.buckets[2].root = `0x${"ab".repeat(32)}`), "root of tree 2"],
    ["a total", (f) => (f.rounds[0].totalAmountWei = "12346"), "total of split 0"],
    ["the order", (f) => f.buckets[0].leaves.reverse(), "root of tree 0"],
    ["a leaf less", (f) => f.buckets[0].leaves.pop(), "root of tree 0"],
    ["a cap", (f) => (f.maxPoints = 501), "sum of weights of split 0"],
    ["a tree less", (f) => f.buckets.pop(), "total of split 1"],
    ["a deadline", (f) => (f.claimDeadline = null), "deadline on chain", "--rpc"],
    [
      "a later deadline",
      (f) => (f.claimDeadline = "2999-01-01T00:00:00.000Z"),
      "deadline on chain",
      "--rpc",
    ],
    ["a token", (f) => (f.tokenAddress = CAMPAIGN_CONTRACT_ADDRESS), "token on chain", "--rpc"],
    ["another airdrop", (f) => (f.onchainId = "99"), "there is no airdrop 99", "--rpc"],
  ];
  for (const [what, change, text_, ...options] of changes) {
    const tampered = await tamper(text, change);
    const args = options.length > 0 ? ["--rpc", anvil.rpcUrl] : [];
    const { code, output } = await verify(tampered, ...args);
    expect(output, what).toContain(text_);
    expect(code, what).toBe(1);
  }
}, 180_000);

test("the public file and an endpoint are enough to check a campaign and to claim from it", async () => {
  const { owner, id, trees } = await createOnChain();
  await createAirdrop(trees);
  const onchainId = await findLastAirdrop();
  await withDatabase((db) =>
    db.execute(sql`
      with others as (
        delete from airdrops where onchain_id = ${onchainId.toString()}::numeric
          and contract_address = decode(${CAMPAIGN_CONTRACT_ADDRESS.slice(2)}, 'hex')
      ) update merkle_buckets set funded_at = now() where reward_id = ${id}`),
  );
  await distribute(owner, id, { onchainId, contractAddress: CAMPAIGN_CONTRACT_ADDRESS });
  while (await makeTreeFiles());
  const { campaignId } = await getCampaign(owner, id);
  const params = { slug: owner.pointSystemId, campaign: campaignId };
  const file = await save("public.json", await (await callPublicLoader(loadFile, params)).text());
  const { address, buckets } = pickWallet(trees);
  const checked = await verify(file, "--rpc", anvil.rpcUrl, "--proof", address);
  expect(checked.output).toContain("Everything is as the file says.");
  expect(checked.output).toContain("this share is not paid yet");
  expect(checked.code).toBe(0);

  // The transaction that it writes is paid by the contract, for the wallet and for nobody else.
  const data = /"data": "(0x[0-9a-f]+)"/.exec(checked.output)?.[1] as Hex;
  const call = { to: CAMPAIGN_CONTRACT_ADDRESS, data, account: address } as const;
  await anvil.client.setBalance({ address, value: 10n ** 18n });
  await anvil.client.impersonateAccount({ address });
  await expect(anvil.client.call({ ...call, account: createAddress() })).rejects.toThrow();
  const hash = await anvil.client.sendTransaction({ ...call, chain: anvil.chain });
  await anvil.client.waitForTransactionReceipt({ hash });
  const paid = await verify(file, "--rpc", anvil.rpcUrl, "--proof", address);
  expect(paid.output).toContain("this share is paid already");

  // Nobody can claim after the deadline or a cancellation, nor once the tree's tokens were taken back.
  const other: Address = JSON.parse(trees).buckets[1].leaves[18][0];
  const readOther = () => verify(file, "--rpc", anvil.rpcUrl, "--proof", other);
  const snapshot = await anvil.client.snapshot();
  const deadline = BigInt(Date.parse(JSON.parse(trees).claimDeadline) / 1_000);
  await anvil.client.setNextBlockTimestamp({ timestamp: deadline + 1n });
  await anvil.client.mine({ blocks: 1 });
  const late = await readOther();
  expect(late.output).toContain("the deadline has passed");
  expect(late.output).not.toContain("cancelled");
  expect(late.output).not.toContain("holds less");
  expect(late.code).toBe(0);
  await anvil.client.revert({ id: snapshot });
  const admin = getTestAccount(0);
  const root = JSON.parse(trees).buckets[1].root;
  await callContract(anvil, admin, "cancel", [onchainId, [root], admin.address]);
  const cancelled = await readOther();
  expect(cancelled.output).toContain("the airdrop is cancelled");
  expect(cancelled.output).toContain("this tree holds less than the share");
  expect(cancelled.output).not.toContain("deadline has passed");
  expect(cancelled.code).toBe(0);
  expect(buckets).toBeGreaterThan(1);
  expect((await verify(file, "--proof", createAddress())).code).toBe(1);
}, 180_000);

/** Picks a wallet from the middle of a tree. */
function pickWallet(trees: string): { address: Address; buckets: number } {
  const { buckets } = JSON.parse(trees);
  return { address: buckets[1].leaves[17][0], buckets: buckets.length };
}

test("what is no file of a campaign is refused", async () => {
  for (const args of [[], [await save("x.json", "{}")], [await save("y.json", "no")], ["/none"]]) {
    expect((await verify(...args)).code).toBe(1);
  }
}, 60_000);

async function findLastAirdrop(): Promise<bigint> {
  return anvil.client.readContract({
    address: CAMPAIGN_CONTRACT_ADDRESS,
    abi: campaignAbi,
    functionName: "airdropCount",
  });
}
