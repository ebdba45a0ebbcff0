import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, toHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CAMPAIGN_RUNTIME_CODE } from "../../../app/chain/campaigns/bytecode";
import { getCampaignContract, openChains } from "../../../app/chain/rpc/chains";
import { inTransaction, withDatabase } from "../../../app/db/client";
import { auditLog } from "../../../app/db/schema/audit-log";
import { airdrops, distributions, rewards } from "../../../app/db/schema/rewards";
import type { Address } from "../../../app/domain/address";
import type { Member } from "../../../app/services/access/members";
import { getChainPage } from "../../../app/services/campaigns/chain/page";
import { checkWithChain, nameAdmin } from "../../../app/services/campaigns/chain/reports";
import { createCampaignBatch } from "../../../app/services/campaigns/chain/safe";
import { reportTransaction } from "../../../app/services/campaigns/chain/transactions";
import { cancelCampaign } from "../../../app/services/campaigns/steps";
import { createChainFollower } from "../../../app/services/follower/follower";
import { getTestAccount, startAnvil, TEST_CHAIN_ID } from "../../support/chain/anvil";
import {
  type BuiltCampaignOptions,
  callContract,
  createOnChain,
  mint,
  storeBuiltCampaign,
} from "../../support/chain/campaigns";
import { codeOf, createMember, createOwner, failureOf } from "../../support/operators";

const [admin, stranger, ...holders] = Array.from({ length: 6 }, (_, i) => getTestAccount(i)) as [
  ReturnType<typeof getTestAccount>,
  ReturnType<typeof getTestAccount>,
  ...ReturnType<typeof getTestAccount>[],
];
const addressOf = (account: { address: string }) => account.address.toLowerCase() as Address;
const ONE = 10n ** 18n;
const UNKNOWN = toHex(7, { size: 32 });

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let token: Address;
let owner: Member<"owner">;
beforeAll(async () => {
  anvil = await startAnvil();
  openChains({ RPC_URL_84532: [anvil.rpcUrl] });
  token = await anvil.deployToken();
  await mint(anvil, token, admin, 1_000_000n * ONE);
  owner = await createOwner();
});
afterAll(async () => {
  openChains({});
  await anvil.stop();
});

/** Builds a campaign of four holders and names its admin. */
async function build(options: Partial<BuiltCampaignOptions> = {}) {
  const campaign = await storeBuiltCampaign({
    pointSystemId: owner.pointSystemId,
    token,
    shares: holders.map((holder, i) => ({
      address: addressOf(holder),
      amountWei: ONE * BigInt(i + 1),
    })),
    bucketSize: 2,
    ...options,
  });
  await nameAdmin(owner, campaign.rewardId, addressOf(admin));
  return campaign;
}

async function read(rewardId: string) {
  const page = await getChainPage(owner, rewardId);
  const { status, airdropStatus, onchainId, adminAddress, refundedWei } = page.campaign;
  return {
    status,
    airdropStatus,
    isOnChain: onchainId !== null,
    admin: adminAddress,
    refundedWei,
    funded: page.funded.buckets,
    unfunded: page.unfunded.buckets,
  };
}

const READY = {
  status: "active",
  airdropStatus: "ready",
  isOnChain: false,
  admin: addressOf(admin),
  refundedWei: 0n,
  funded: 0,
  unfunded: 2,
};
const ACTIVE = {
  ...READY,
  status: "distributed",
  airdropStatus: "active",
  isOnChain: true,
  funded: 2,
  unfunded: 0,
};

/** Lets a follower look at the chain until it has nothing more to do. */
async function follow() {
  const follower = createChainFollower({ everyMs: 0 });
  while (await follower.look(TEST_CHAIN_ID));
  await follower.close();
}

/** Waits until a statement waits for another's lock. */
async function waitForLock(): Promise<void> {
  await expect
    .poll(async () => {
      const [locks] = await withDatabase((db) =>
        db.execute<{ waiting: number }>(
          sql`select count(*)::float8 as waiting from pg_locks where not granted`,
        ),
      );
      return locks?.waiting;
    })
    .toBeGreaterThan(0);
}

test("a creation that fits makes the campaign active, once, with one audit entry", async () => {
  const campaign = await build();
  expect(await read(campaign.rewardId)).toEqual(READY);
  const hash = await createOnChain(anvil, admin, campaign);
  const reports = Array.from({ length: 5 }, () =>
    reportTransaction(owner, campaign.rewardId, hash),
  );
  await Promise.all(reports);
  expect(await read(campaign.rewardId)).toEqual(ACTIVE);
  const { campaign: shown } = await getChainPage(owner, campaign.rewardId);
  expect(shown.creationTxHash).toBe(hash);
  expect(shown.createdOnchainAt).toBeInstanceOf(Date);
  const entries = await withDatabase((db) =>
    db.select().from(auditLog).where(eq(auditLog.action, "campaign.chain")),
  );
  expect(
    entries.filter(({ after }) => (after as { transaction: string }).transaction === hash),
  ).toHaveLength(1);
});

test("every holder of an accepted campaign claims on the contract, which the check then tells", async () => {
  const campaign = await build();
  await reportTransaction(owner, campaign.rewardId, await createOnChain(anvil, admin, campaign));
  const { onchainId } = (await getChainPage(owner, campaign.rewardId)).campaign;
  const before = await checkWithChain(owner, campaign.rewardId);
  expect(before).toMatchObject({ unclaimedWei: 10n * ONE, fundedWei: 10n * ONE, bucketsRead: 2 });
  let left = 10n * ONE;
  for (const holder of holders) {
    const { amountWei, proof } = campaign.proofOf(addressOf(holder));
    await callContract(anvil, holder, "claim", [onchainId, amountWei, proof]);
    left -= amountWei;
    expect((await checkWithChain(owner, campaign.rewardId)).unclaimedWei).toBe(left);
  }
  expect(left).toBe(0n);
});

test("the chain's own coin is escrowed with the creation", async () => {
  const campaign = await build({ token: null });
  await reportTransaction(owner, campaign.rewardId, await createOnChain(anvil, admin, campaign));
  expect(await read(campaign.rewardId)).toEqual(ACTIVE);
});

test("buckets that come in several transactions are funded one transaction after the other", async () => {
  const campaign = await build({ bucketSize: 1 });
  const [first, second, ...rest] = campaign.buckets;
  if (!first || !second) throw new Error("Too few buckets");
  const hash = await createOnChain(anvil, admin, campaign, { buckets: [first, second] });
  await reportTransaction(owner, campaign.rewardId, hash);
  expect(await read(campaign.rewardId)).toMatchObject({ ...ACTIVE, funded: 2, unfunded: 2 });
  const { campaign: shown, unfunded } = await getChainPage(owner, campaign.rewardId);
  expect(unfunded.next.map(({ root }) => root)).toEqual(rest.map(({ root }) => root));
  const approval = rest.reduce((sum, { total }) => sum + total, 0n);
  await mint(anvil, token, admin, approval);
  await anvil.client.writeContract({
    account: admin,
    chain: anvil.chain,
    address: token,
    abi: erc20Abi,
    functionName: "approve",
    args: [shown.contractAddress, approval],
  });
  const added = await callContract(anvil, admin, "addBuckets", [shown.onchainId, rest]);
  await reportTransaction(owner, campaign.rewardId, added);
  expect(await read(campaign.rewardId)).toMatchObject({ funded: 4, unfunded: 0 });
});

test("cancel ends the airdrop, and a refund is counted once", async () => {
  const campaign = await build();
  await reportTransaction(owner, campaign.rewardId, await createOnChain(anvil, admin, campaign));
  const { onchainId } = (await getChainPage(owner, campaign.rewardId)).campaign;
  const [first, second] = campaign.buckets;
  const cancelled = await callContract(anvil, admin, "cancel", [
    onchainId,
    [first?.root],
    admin.address,
  ]);
  await reportTransaction(owner, campaign.rewardId, cancelled);
  const ended = { ...ACTIVE, airdropStatus: "ended" };
  expect(await read(campaign.rewardId)).toEqual({ ...ended, refundedWei: first?.total });
  const args = [onchainId, [second?.root], stranger.address];
  const refunded = await callContract(anvil, admin, "refund", args);
  await reportTransaction(owner, campaign.rewardId, refunded);
  await reportTransaction(owner, campaign.rewardId, refunded);
  await follow();
  expect(await read(campaign.rewardId)).toEqual({ ...ended, refundedWei: 10n * ONE });
  expect(await checkWithChain(owner, campaign.rewardId)).toMatchObject({
    isCancelled: true,
    unclaimedWei: 0n,
  });
});

test("an admin's transfer in two steps is taken over", async () => {
  const campaign = await build();
  await reportTransaction(owner, campaign.rewardId, await createOnChain(anvil, admin, campaign));
  const { onchainId } = (await getChainPage(owner, campaign.rewardId)).campaign;
  await callContract(anvil, admin, "proposeAdmin", [onchainId, stranger.address]);
  const hash = await callContract(anvil, stranger, "acceptAdmin", [onchainId]);
  expect((await read(campaign.rewardId)).admin).toBe(addressOf(admin));
  await reportTransaction(owner, campaign.rewardId, hash);
  expect((await read(campaign.rewardId)).admin).toBe(addressOf(stranger));
});

test("of many transactions the newest are listed, in the order of the chain", async () => {
  const start = Math.floor(Date.now() / 1_000) + 86_400;
  const campaign = await build({ claimDeadline: new Date(start * 1_000) });
  await reportTransaction(owner, campaign.rewardId, await createOnChain(anvil, admin, campaign));
  const { onchainId } = (await getChainPage(owner, campaign.rewardId)).campaign;
  const hashes = [];
  for (let i = 1; i <= 21; i++) {
    hashes.push(await callContract(anvil, admin, "extendDeadline", [onchainId, start + i]));
  }
  await follow();
  const { transactions } = await getChainPage(owner, campaign.rewardId);
  expect(transactions.map(({ txHash }) => txHash)).toEqual(hashes.slice(-20));
});

test.each<
  [
    string,
    (campaign: Awaited<ReturnType<typeof build>>) => Parameters<typeof createOnChain>[3],
    string,
  ]
>([
  ["another admin", () => ({ admin: stranger.address }), "its admin is"],
  ["another deadline", () => ({ deadline: 4_000_000_000 }), "its deadline"],
  ["another reference", () => ({ ref: UNKNOWN }), "another campaign"],
  [
    "another root",
    ({ buckets }) => ({
      buckets: buckets.map((bucket) => ({ ...bucket, root: UNKNOWN })).slice(1),
    }),
    "a root that is not",
  ],
  [
    "another total",
    ({ buckets }) => ({ buckets: buckets.map(({ root, total }) => ({ root, total: total - 1n })) }),
    "the total of a bucket",
  ],
  ["no bucket", () => ({ buckets: [] }), "none of its buckets"],
])("a creation with %s is refused by name, and changes nothing", async (_, change, reason) => {
  const campaign = await build();
  const hash = await createOnChain(anvil, admin, campaign, change(campaign));
  const failure = await failureOf(reportTransaction(owner, campaign.rewardId, hash));
  expect(failure.code).toBe("transaction_unsuitable");
  expect(failure.details.name).toContain(reason);
  await follow();
  expect(await read(campaign.rewardId)).toEqual(READY);
});

test("a creation of another token, or in another contract with the same code, is refused", async () => {
  const campaign = await build();
  const other = await anvil.deployToken();
  await mint(anvil, other, admin, 100n * ONE);
  const hash = await createOnChain(anvil, admin, campaign, { token: other });
  const failure = await failureOf(reportTransaction(owner, campaign.rewardId, hash));
  expect(failure.details.name).toContain("its token is");
  const contract = `0x${"c0".repeat(20)}` as const;
  await anvil.client.setCode({ address: contract, bytecode: CAMPAIGN_RUNTIME_CODE });
  const elsewhere = await createOnChain(anvil, admin, campaign, { contract });
  const refusal = await failureOf(reportTransaction(owner, campaign.rewardId, elsewhere));
  expect(refusal.details.name).toContain("another contract");
  expect(await read(campaign.rewardId)).toEqual(READY);
});

test("a transaction that is unknown, reverted, or does nothing here is refused", async () => {
  const campaign = await build();
  const report = (hash: `0x${string}`) => codeOf(reportTransaction(owner, campaign.rewardId, hash));
  expect(await report(UNKNOWN)).toBe("transaction_unknown");
  const { transactionHash } = await anvil.send(stranger, { to: admin.address, value: 1n });
  expect(await report(transactionHash)).toBe("transaction_unsuitable");
  const reverted = await anvil.client.sendTransaction({
    account: stranger,
    chain: anvil.chain,
    to: token,
    data: "0xa9059cbb",
    gas: 100_000n,
  });
  await anvil.client.waitForTransactionReceipt({ hash: reverted, pollingInterval: 20 });
  expect(await report(reverted)).toBe("transaction_reverted");
  expect(await read(campaign.rewardId)).toEqual(READY);
});

test("a token that keeps a part of every transfer is refused by the contract", async () => {
  const fee = await anvil.deployFeeToken();
  const campaign = await build({ token: fee });
  await mint(anvil, fee, admin, 100n * ONE);
  await expect(createOnChain(anvil, admin, campaign)).rejects.toThrow();
  await follow();
  expect(await read(campaign.rewardId)).toEqual(READY);
});

test("a creation that nobody reports is found, by one of several processes", async () => {
  const campaign = await build();
  await anvil.client.mine({ blocks: 5 });
  await createOnChain(anvil, admin, campaign);
  await Promise.all([follow(), follow(), follow()]);
  await follow();
  expect(await read(campaign.rewardId)).toEqual(ACTIVE);
});

test("an endpoint that answers for few blocks at once is asked for fewer, until the creation is found", async () => {
  const campaign = await build();
  await anvil.client.mine({ blocks: 60 });
  await createOnChain(anvil, admin, campaign);
  const ranges: number[] = [];
  const narrow = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { id, method, params } = JSON.parse(body);
    if (method === "eth_getLogs") {
      const blocks = Number(params[0].toBlock) - Number(params[0].fromBlock) + 1;
      ranges.push(blocks);
      if (blocks > 10) {
        const error = { code: -32005, message: "query exceeds max block range 10" };
        response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
        return;
      }
    }
    const headers = { "content-type": "application/json" };
    const answer = await fetch(anvil.rpcUrl, { method: "POST", headers, body });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => narrow.listen(0, "127.0.0.1", resolve));
  try {
    openChains({
      RPC_URL_84532: [`http://127.0.0.1:${(narrow.address() as AddressInfo).port}`],
    });
    await follow();
    await follow();
    expect(await read(campaign.rewardId)).toEqual(ACTIVE);
    expect(Math.max(...ranges)).toBeGreaterThan(10);
  } finally {
    openChains({ RPC_URL_84532: [anvil.rpcUrl] });
    narrow.close();
  }
});

test("nothing is looked for before an admin is named, and the admin stays once it is on chain", async () => {
  const campaign = await storeBuiltCampaign({
    pointSystemId: owner.pointSystemId,
    token: null,
    shares: holders.map((holder) => ({ address: addressOf(holder), amountWei: ONE })),
    bucketSize: 2,
  });
  const hash = await createOnChain(anvil, admin, campaign);
  await follow();
  const unnamed = { ...READY, admin: null };
  expect(await read(campaign.rewardId)).toEqual(unnamed);
  expect((await failureOf(reportTransaction(owner, campaign.rewardId, hash))).details.name).toBe(
    "it has no admin here yet",
  );
  await nameAdmin(owner, campaign.rewardId, addressOf(admin));
  await reportTransaction(owner, campaign.rewardId, hash);
  expect(await codeOf(nameAdmin(owner, campaign.rewardId, addressOf(stranger)))).toBe(
    "campaign_on_chain",
  );
});

test("a campaign that is cancelled here is not revived by its creation, also when both come at once", async () => {
  const late = await build();
  await cancelCampaign(owner, late.rewardId, `CMP-${late.rewardId.slice(0, 8)}`);
  const hash = await createOnChain(anvil, admin, late);
  expect((await failureOf(reportTransaction(owner, late.rewardId, hash))).details.name).toBe(
    "the campaign is not active here",
  );
  await follow();
  const cancelled = { ...READY, status: "cancelled" };
  expect(await read(late.rewardId)).toEqual(cancelled);

  const campaign = await build();
  const creation = await createOnChain(anvil, admin, campaign);
  let report: Promise<unknown> = Promise.resolve();
  await inTransaction(async (tx) => {
    const isIt = eq(rewards.id, campaign.rewardId);
    await tx.select({ id: rewards.id }).from(rewards).where(isIt).for("update");
    report = failureOf(reportTransaction(owner, campaign.rewardId, creation));
    await waitForLock();
    await tx.update(rewards).set({ status: "cancelled" }).where(isIt);
  });
  expect(await report).toMatchObject({ code: "transaction_unsuitable" });
  expect(await read(campaign.rewardId)).toEqual(cancelled);
});

test("decimals that somebody typed are read before the admin is named; wrong ones end there", async () => {
  const shares = holders.map((holder) => ({ address: addressOf(holder), amountWei: ONE }));
  const plan = (unread: Address) =>
    storeBuiltCampaign({ pointSystemId: owner.pointSystemId, token: unread, shares });
  const wrong = await plan(await anvil.deployToken({ decimals: 6 }));
  const failure = await failureOf(nameAdmin(owner, wrong.rewardId, addressOf(admin)));
  expect([failure.code, failure.details.name]).toEqual(["token_decimals_wrong", "6"]);
  expect(await read(wrong.rewardId)).toMatchObject({ admin: null });
  const right = await plan(await anvil.deployToken({ decimals: 18 }));
  await nameAdmin(owner, right.rewardId, addressOf(admin));
  const { campaign } = await getChainPage(owner, right.rewardId);
  expect(campaign.tokenReadAt).toBeInstanceOf(Date);
});

test("another admin is told with the former one, and a link to the former one's file is refused", async () => {
  const campaign = await build();
  const seen = addressOf(admin);
  const file = await createCampaignBatch(owner, campaign.rewardId, seen);
  expect(file.meta.name).toContain(`ADMIN ${admin.address}`);
  expect(file.meta.description).toMatch(new RegExp(`^ADMIN ${admin.address} can cancel`));
  expect((await getChainPage(owner, campaign.rewardId)).campaign).toMatchObject({
    adminAddress: seen,
    formerAdminAddress: null,
  });
  await nameAdmin(owner, campaign.rewardId, addressOf(stranger));
  expect(await codeOf(createCampaignBatch(owner, campaign.rewardId, seen))).toBe(
    "campaign_changed",
  );
  expect((await getChainPage(owner, campaign.rewardId)).campaign).toMatchObject({
    adminAddress: addressOf(stranger),
    formerAdminAddress: seen,
    adminNamedAt: expect.any(Date),
  });
});

test("a Safe's file takes back an approval that does not suffice, and asks for none that does", async () => {
  const campaign = await build();
  const contract = getCampaignContract(TEST_CHAIN_ID);
  const listTargets = async () =>
    (await createCampaignBatch(owner, campaign.rewardId, null)).transactions.map(({ to }) => to);
  const approve = (amountWei: bigint) =>
    anvil.send(admin, {
      to: token,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: "approve",
        args: [contract, amountWei],
      }),
    });
  await approve(0n);
  expect(await listTargets()).toEqual([token, contract]);
  await approve(1n);
  expect(await listTargets()).toEqual([token, token, contract]);
  await approve(campaign.totalAmountWei);
  expect(await listTargets()).toEqual([contract]);
});

test("a reorganisation that drops the creation makes the campaign ready again; back in a block, it is active", async () => {
  const campaign = await build();
  const snapshot = await anvil.client.snapshot();
  const hash = await createOnChain(anvil, admin, campaign);
  await reportTransaction(owner, campaign.rewardId, hash);
  expect(await read(campaign.rewardId)).toEqual(ACTIVE);
  await anvil.client.revert({ id: snapshot });
  await anvil.client.mine({ blocks: 10 });
  await follow();
  expect(await read(campaign.rewardId)).toEqual(READY);
  await createOnChain(anvil, admin, campaign);
  await follow();
  expect(await read(campaign.rewardId)).toEqual(ACTIVE);
});

test.each([
  ["one admin", admin],
  ["two admins", stranger],
])(
  "a reorganisation that swaps the ids of two campaigns of %s moves each with its claims",
  async (_, otherAdmin) => {
    const [first, second] = [await build(), await build()];
    await mint(anvil, token, stranger, 10n * ONE);
    await nameAdmin(owner, second.rewardId, addressOf(otherAdmin));
    const [holder] = holders;
    if (!holder) throw new Error("No holder");
    const readBoth = () =>
      Promise.all(
        [first, second].map(async ({ rewardId }) => {
          const { onchainId } = (await getChainPage(owner, rewardId)).campaign;
          const shares = await withDatabase((db) =>
            db
              .select({ id: distributions.id })
              .from(distributions)
              .where(and(eq(distributions.rewardId, rewardId), isNotNull(distributions.claimedAt))),
          );
          return { ...(await read(rewardId)), onchainId, claims: shares.length };
        }),
      );
    const claim = async (onchainId: bigint, { proofOf }: typeof first) => {
      const { amountWei, proof } = proofOf(addressOf(holder));
      await callContract(anvil, holder, "claim", [onchainId, amountWei, proof]);
    };
    const snapshot = await anvil.client.snapshot();
    await createOnChain(anvil, admin, first);
    await createOnChain(anvil, otherAdmin, second);
    await follow();
    const id = (await getChainPage(owner, first.rewardId)).campaign.onchainId ?? 0n;
    await claim(id, first);
    await follow();
    const others = { ...ACTIVE, admin: addressOf(otherAdmin) };
    expect(await readBoth()).toEqual([
      { ...ACTIVE, onchainId: id, claims: 1 },
      { ...others, onchainId: id + 1n, claims: 0 },
    ]);
    await anvil.client.revert({ id: snapshot });
    await createOnChain(anvil, otherAdmin, second);
    await createOnChain(anvil, admin, first);
    await claim(id, second);
    await anvil.client.mine({ blocks: 10 });
    await follow();
    expect(await readBoth()).toEqual([
      { ...ACTIVE, onchainId: id + 1n, claims: 0 },
      { ...others, onchainId: id, claims: 1 },
    ]);
  },
);

test("a campaign whose id another creation took in a reorganisation is ready again, and a campaign may take it", async () => {
  const [campaign, other] = [await build(), await build()];
  const create = async () => {
    const snapshot = await anvil.client.snapshot();
    await createOnChain(anvil, admin, campaign);
    await follow();
    expect(await read(campaign.rewardId)).toEqual(ACTIVE);
    const { onchainId } = (await getChainPage(owner, campaign.rewardId)).campaign;
    await anvil.client.revert({ id: snapshot });
    return onchainId;
  };
  await create();
  await createOnChain(anvil, stranger, campaign, { ref: toHex(8, { size: 32 }), buckets: [] });
  await anvil.client.mine({ blocks: 10 });
  await follow();
  expect(await read(campaign.rewardId)).toEqual(READY);
  const id = await create();
  await createOnChain(anvil, admin, other);
  await anvil.client.mine({ blocks: 10 });
  await follow();
  expect(await read(campaign.rewardId)).toEqual(READY);
  expect(await read(other.rewardId)).toEqual(ACTIVE);
  expect((await getChainPage(owner, other.rewardId)).campaign.onchainId).toBe(id);
  const entries = await withDatabase((db) =>
    db.select().from(auditLog).where(eq(auditLog.action, "campaign.reorg")),
  );
  const countOf = ({ rewardId }: typeof other) =>
    entries.filter(({ subject }) => subject === `CMP-${rewardId.slice(0, 8)}`).length;
  expect([countOf(campaign), countOf(other)]).toEqual([2, 0]);
});

test("a creation whose id another campaign has from a file is refused, and stops nobody", async () => {
  const [campaign, other, fromFile] = [await build(), await build(), await build()];
  await createOnChain(anvil, admin, other);
  await follow();
  const { onchainId, contractAddress } = (await getChainPage(owner, other.rewardId)).campaign;
  await withDatabase((db) =>
    db
      .update(airdrops)
      .set({ status: "active", contractAddress, onchainId: (onchainId ?? 0n) + 1n })
      .where(eq(airdrops.rewardId, fromFile.rewardId)),
  );
  const hash = await createOnChain(anvil, admin, campaign);
  await follow();
  expect(await read(campaign.rewardId)).toEqual(READY);
  const { code, details } = await failureOf(reportTransaction(owner, campaign.rewardId, hash));
  expect([code, details.name]).toEqual(["transaction_unsuitable", "another campaign has its id"]);
});

test("a transaction is settled once its block is final", async () => {
  const campaign = await build();
  await reportTransaction(owner, campaign.rewardId, await createOnChain(anvil, admin, campaign));
  const isFinal = async () =>
    (await getChainPage(owner, campaign.rewardId)).transactions.map((row) => row.isFinal);
  expect(await isFinal()).toEqual([false]);
  await anvil.client.mine({ blocks: 200 });
  await follow();
  expect(await isFinal()).toEqual([true]);
});

test("another point system's member finds no campaign, and a chain without an endpoint is named", async () => {
  const campaign = await build();
  const other = await createOwner("Other");
  expect(await codeOf(getChainPage(other, campaign.rewardId))).toBe("not_found");
  expect(await codeOf(nameAdmin(other, campaign.rewardId, addressOf(admin)))).toBe("not_found");
  expect(await codeOf(reportTransaction(other, campaign.rewardId, UNKNOWN))).toBe("not_found");
  const viewer = await createMember(owner, "viewer");
  expect((await getChainPage(viewer, campaign.rewardId)).campaign.name).toBe("Season one");
  openChains({});
  try {
    const failure = await failureOf(reportTransaction(owner, campaign.rewardId, UNKNOWN));
    expect([failure.code, failure.details.name]).toEqual(["chain_not_configured", "RPC_URL_84532"]);
    openChains({ RPC_URL_84532: ["http://127.0.0.1:9"] });
    expect(await codeOf(reportTransaction(owner, campaign.rewardId, UNKNOWN))).toBe(
      "chain_unavailable",
    );
    openChains({ RPC_URL_84532: ["http://127.0.0.1:9", anvil.rpcUrl] });
    expect(await codeOf(reportTransaction(owner, campaign.rewardId, UNKNOWN))).toBe(
      "transaction_unknown",
    );
  } finally {
    openChains({ RPC_URL_84532: [anvil.rpcUrl] });
  }
});
