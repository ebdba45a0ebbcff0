import { concat, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, toHex } from "viem";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../../app/domain/campaigns/contract";
import { testTokenAbi } from "../../../contracts/test-tokens";
import { getTestAccount, startAnvil } from "../../support/chain/anvil";
import { withCleanUp } from "../clean-up";
import { createCeilingRow, createRow, type Row } from "../report";

/** The most that a claim may cost when a bucket has 128 wallets. */
const NEW_HOLDER_GAS_MAX = 68_900;
const HOLDER_GAS_MAX = 51_800;
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
 * and creation.
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
          createRow("create with 1 bucket", large.create, "gas"),
          createRow("approve before it", small.approve, "gas"),
        );
      }
    }
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
  const tree = buildTree(bucketWallets);
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

async function create(chain: Chain, token: Address, roots: readonly Hex[]) {
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
  const args = [token, 0, OPERATOR.address, toRandomWord("ref"), buckets] as const;
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
 * Builds a tree in which only the claimers' part is real: the contract sees only a proof, and a
 * claim's cost does not depend on the other wallets.
 */
function buildTree(wallets: number) {
  // The claimers are in the middle, where the marks of a large tree are.
  const firstIndex = wallets / 2;
  const depth = Math.log2(wallets);
  const indices = CLAIMERS.map((_, i) => toHex(firstIndex + i, { size: 32 }));
  const nodes = CLAIMERS.map(({ address }, i) => hashPair(hashLeaf(address), indices[i] ?? "0x"));
  const pairs = [0, 2].map((i) => hashPair(nodes[i] ?? "0x", nodes[i + 1] ?? "0x"));
  const above = Array.from({ length: depth - 2 }, (_, i) => toRandomWord(`sibling ${i}`));
  const root = above.reduce(hashPair, hashPair(pairs[0] ?? "0x", pairs[1] ?? "0x"));
  const getProof = (i: number): Hex[] => [
    indices[i] ?? "0x",
    nodes[i ^ 1] ?? "0x",
    pairs[(i >> 1) ^ 1] ?? "0x",
    ...above,
  ];
  return { root, getProof };
}

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
