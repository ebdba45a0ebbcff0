import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  slice,
  toHex,
} from "viem";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { testTokenAbi } from "../../../contracts/test-tokens";
import { getTestAccount, startAnvil } from "../../support/chain/anvil";
import { withCleanUp } from "../clean-up";
import { createCeilingRow, createRow, type Row } from "../report";

/** The most that a claim may cost when a bucket has 128 wallets. */
const NEW_HOLDER_GAS_MAX = 69_100;
const HOLDER_GAS_MAX = 52_000;
/** The most that each further new holder of a payout may cost, at 100 a call. */
const PAYMENT_GAS_MAX = 40_000;
const PAYMENTS = 100;
/** The gas that one payment may take: ten times what it takes here. */
const PAYMENT_GAS_LIMIT = 300_000n;
/** The most that a creation with one bucket may cost: one write more than without a used ref. */
const CREATION_GAS_MAX = 143_000;
const EXTENSION_GAS_MAX = 35_000;
const BUCKET_WALLETS = 128;
const AMOUNT_WEI = 10n ** 18n;

const OPERATOR = getTestAccount(0);
/**
 * The claimers in the order of their leaves. The first one claims first, so that only it pays for a
 * new word of marks.
 */
const CLAIMERS = [getTestAccount(1), getTestAccount(2), getTestAccount(3), getTestAccount(4)];
type Chain = Awaited<ReturnType<typeof startAnvil>>;

/**
 * Measures the gas of whole transactions on a real chain: claims by new and by existing holders,
 * payouts by somebody else, and what operators do.
 */
export function measureGas(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const chain = await startAnvil();
    defer(() => chain.stop());
    const token = await chain.deployToken();
    // The first airdrop of a contract and of a token writes words that later ones find.
    await create(chain, token, [toRandomWord("first")]);

    const rows: Row[] = [];
    for (const power of [10, 20]) {
      const wallets = 2 ** power;
      const small = await measureAirdrop(
        chain,
        token,
        BUCKET_WALLETS,
        Math.min(wallets / BUCKET_WALLETS, 8),
      );
      const label = `claim, 2^${power} wallets`;
      rows.push(
        createCeilingRow(
          `${label}, buckets of 128, new holder`,
          small.newHolder,
          NEW_HOLDER_GAS_MAX,
        ),
        createCeilingRow(`${label}, buckets of 128, holder`, small.holder, HOLDER_GAS_MAX),
      );
      const large = await measureAirdrop(chain, token, wallets, 1);
      rows.push(
        createRow(`${label}, one bucket, new holder`, large.newHolder, "gas"),
        createRow(`${label}, one bucket, holder`, large.holder, "gas"),
      );
      if (power === 10) {
        rows.push(
          createRow("create with 8 buckets", small.create, "gas"),
          createCeilingRow("create with 1 bucket", large.create, CREATION_GAS_MAX),
          createRow("approve before it", small.approve, "gas"),
        );
      }
    }
    const small = await measurePayouts(chain, token, BUCKET_WALLETS);
    const large = await measurePayouts(chain, token, 2 ** 20);
    const spread = await measureSpreadPayout(chain, token);
    const each = `payout, ${PAYMENTS} a call, each further new holder`;
    rows.push(
      createCeilingRow(`${each}, buckets of 128`, small.each, PAYMENT_GAS_MAX),
      createRow(`${each}, one bucket of 2^20`, large.each, "gas"),
      createRow(`${each}, each of another bucket of 128`, spread, "gas"),
      createRow(`payout, ${PAYMENTS} a call, the whole call, buckets of 128`, small.call, "gas"),
      createRow("claim for another wallet, buckets of 128, new holder", small.claimFor, "gas"),
      createRow("read the 128 marks of a bucket", small.readMarks, "gas"),
      createCeilingRow("extend the deadline", small.extend, EXTENSION_GAS_MAX),
      createRow("cancel and refund one bucket", small.cancel, "gas"),
    );
    return rows;
  });
}

/** Measures one airdrop with claims from its first bucket, and undoes it at the end. */
async function measureAirdrop(
  chain: Chain,
  token: Address,
  bucketWallets: number,
  buckets: number,
) {
  const before = await chain.client.snapshot();
  const tree = buildTree(
    bucketWallets,
    CLAIMERS.map(({ address }) => address),
  );
  const others = Array.from({ length: buckets - 1 }, (_, i) => toRandomWord(`root ${i}`));
  const created = await create(chain, token, [tree.root, ...others]);
  const [first, newHolder, holder] = CLAIMERS;
  if (!first || !newHolder || !holder) throw new Error("Too few accounts");
  await mint(chain, token, holder.address);
  const claim = async (account: typeof first) => {
    const args = [created.id, AMOUNT_WEI, tree.getProof(CLAIMERS.indexOf(account))] as const;
    const data = encodeFunctionData({ abi: campaignAbi, functionName: "claim", args });
    const { gasUsed } = await chain.send(account, { to: CAMPAIGN_CONTRACT_ADDRESS, data });
    return Number(gasUsed);
  };
  await claim(first);
  const claims = { newHolder: await claim(newHolder), holder: await claim(holder) };
  await chain.client.revert({ id: before });
  return { ...created, ...claims };
}

/**
 * Measures payments that somebody else makes to 100 new holders of one bucket, and what the admin
 * does after them.
 */
async function measurePayouts(chain: Chain, token: Address, bucketWallets: number) {
  const before = await chain.client.snapshot();
  const accounts = Array.from({ length: BUCKET_WALLETS }, (_, i) => toRandomAddress(`wallet ${i}`));
  const tree = buildTree(bucketWallets, accounts);
  const deadline = (await chain.client.getBlock()).timestamp + 86_400n;
  const { id } = await create(chain, token, [tree.root], Number(deadline));
  const payments = accounts
    .slice(0, PAYMENTS + 1)
    .map((account, i) => ({ account, id, amount: AMOUNT_WEI, proof: tree.getProof(i) }));
  const send = async (data: Hex) => {
    const { gasUsed } = await chain.send(OPERATOR, { to: CAMPAIGN_CONTRACT_ADDRESS, data });
    return Number(gasUsed);
  };
  const one = await payOut(chain, token, payments.slice(0, 1));
  const call = await payOut(chain, token, payments.slice(0, PAYMENTS));
  const [first, second] = payments;
  if (!first || !second) throw new Error("Too few accounts");
  const claimFor = ({ account, amount, proof }: typeof first) =>
    send(
      encodeFunctionData({
        abi: campaignAbi,
        functionName: "claimFor",
        args: [account, id, amount, proof],
      }),
    );
  await claimFor(first);
  const measured = {
    each: Math.round((call - one) / (PAYMENTS - 1)),
    call,
    claimFor: await claimFor(second),
    readMarks: Number(
      await chain.client.estimateGas({
        account: OPERATOR,
        to: CAMPAIGN_CONTRACT_ADDRESS,
        data: encodeFunctionData({
          abi: campaignAbi,
          functionName: "marksOf",
          args: [id, tree.root, [0n]],
        }),
      }),
    ),
    extend: await send(
      encodeFunctionData({
        abi: campaignAbi,
        functionName: "extendDeadline",
        args: [id, Number(deadline) + 1],
      }),
    ),
    cancel: await send(
      encodeFunctionData({
        abi: campaignAbi,
        functionName: "cancel",
        args: [id, [tree.root], OPERATOR.address],
      }),
    ),
  };
  await chain.client.revert({ id: before });
  return measured;
}

type Payment = { account: Address; id: bigint; amount: bigint; proof: Hex[] };

/** Pays in one call, checks that everyone was paid, and undoes it. */
async function payOut(chain: Chain, token: Address, payments: readonly Payment[]): Promise<number> {
  const unpaid = await chain.client.snapshot();
  const args = [payments, PAYMENT_GAS_LIMIT] as const;
  const data = encodeFunctionData({ abi: campaignAbi, functionName: "distribute", args });
  const { gasUsed } = await chain.send(OPERATOR, { to: CAMPAIGN_CONTRACT_ADDRESS, data });
  for (const { account } of payments) {
    const balance = await chain.client.readContract({
      address: token,
      abi: testTokenAbi,
      functionName: "balanceOf",
      args: [account],
    });
    if (balance !== AMOUNT_WEI) throw new Error(`${account} was not paid`);
  }
  await chain.client.revert({ id: unpaid });
  return Number(gasUsed);
}

/** Measures a payout in which each wallet is in another bucket: the dearest order of payments. */
async function measureSpreadPayout(chain: Chain, token: Address): Promise<number> {
  const before = await chain.client.snapshot();
  const accounts = Array.from({ length: PAYMENTS }, (_, i) => toRandomAddress(`wallet ${i}`));
  const trees = accounts.map((account) => buildTree(BUCKET_WALLETS, [account]));
  const roots = trees.map(({ root }) => root);
  const { id } = await create(chain, token, roots);
  const payments = trees.map(({ getProof }, i) => ({
    account: accounts[i] ?? OPERATOR.address,
    id,
    amount: AMOUNT_WEI,
    proof: getProof(0),
  }));
  const one = await payOut(chain, token, payments.slice(0, 1));
  const all = await payOut(chain, token, payments);
  await chain.client.revert({ id: before });
  return Math.round((all - one) / (PAYMENTS - 1));
}

let creations = 0;

async function create(chain: Chain, token: Address, roots: readonly Hex[], deadline = 0) {
  const total = AMOUNT_WEI * BigInt(BUCKET_WALLETS);
  await mint(chain, token, OPERATOR.address);
  const spent = total * BigInt(roots.length);
  const approve = encodeFunctionData({
    abi: testTokenAbi,
    functionName: "approve",
    args: [CAMPAIGN_CONTRACT_ADDRESS, spent],
  });
  const approved = await chain.send(OPERATOR, { to: token, data: approve });
  const buckets = roots.map((root) => ({ root, total }));
  creations += 1;
  const ref = toRandomWord(`ref ${creations}`);
  const args = [token, deadline, OPERATOR.address, ref, buckets] as const;
  const data = encodeFunctionData({ abi: campaignAbi, functionName: "create", args });
  const created = await chain.send(OPERATOR, { to: CAMPAIGN_CONTRACT_ADDRESS, data });
  const id = await chain.client.readContract({
    address: CAMPAIGN_CONTRACT_ADDRESS,
    abi: campaignAbi,
    functionName: "airdropCount",
  });
  return { id, create: Number(created.gasUsed), approve: Number(approved.gasUsed) };
}

async function mint(chain: Chain, token: Address, to: Address): Promise<void> {
  const args = [to, AMOUNT_WEI * 10_000n] as const;
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: "mint", args });
  await chain.send(OPERATOR, { to: token, data });
}

/**
 * Builds a tree in which only these accounts' part is real: the contract sees only a proof, and a
 * claim's cost does not depend on the other wallets.
 * @param accounts a power of two
 */
function buildTree(wallets: number, accounts: readonly Address[]) {
  // A few claimers are in the middle, where the marks of a large tree are.
  const firstIndex = accounts.length < wallets ? wallets / 2 : 0;
  const layers = [
    accounts.map((account) => hashLeaf(account)),
    accounts.map((account, i) => hashPair(hashLeaf(account), toIndex(firstIndex + i))),
  ];
  for (let nodes = layers[1] ?? []; nodes.length > 1; ) {
    nodes = Array.from({ length: nodes.length / 2 }, (_, i) =>
      hashPair(nodes[2 * i] ?? "0x", nodes[2 * i + 1] ?? "0x"),
    );
    layers.push(nodes);
  }
  const above = Array.from({ length: Math.log2(wallets / accounts.length) }, (_, i) =>
    toRandomWord(`sibling ${i}`),
  );
  const root = above.reduce(hashPair, layers.at(-1)?.[0] ?? "0x");
  const getProof = (i: number): Hex[] => [
    toIndex(firstIndex + i),
    ...layers.slice(1, -1).map((nodes, level) => nodes[(i >> level) ^ 1] ?? "0x"),
    ...above,
  ];
  return { root, getProof };
}

const toIndex = (index: number) => toHex(index, { size: 32 });

function hashLeaf(account: Address): Hex {
  const types = [{ type: "address" }, { type: "uint256" }] as const;
  return keccak256(keccak256(encodeAbiParameters(types, [account, AMOUNT_WEI])));
}

function hashPair(a: Hex, b: Hex): Hex {
  return keccak256(a < b ? concat([a, b]) : concat([b, a]));
}

function toRandomWord(name: string): Hex {
  return keccak256(toHex(name));
}

function toRandomAddress(name: string): Address {
  return slice(toRandomWord(name), 0, 20) as Address;
}
