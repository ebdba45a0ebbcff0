import { randomInt } from "node:crypto";
import { SimpleMerkleTree, StandardMerkleTree } from "@openzeppelin/merkle-tree";
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseEventLogs,
  toHex,
} from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Address } from "../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../app/domain/campaigns/contract";
import { buildMerkleTree, type MerkleLeaf } from "../../app/domain/trees/merkle";
import { compile, readCompilerInput } from "../../contracts/scripts/compile";
import { getTestAccount, startAnvil } from "../support/chain/anvil";
import { mint } from "../support/chain/campaigns";
import { atDepth } from "../support/depth";

// Random trees, a thousand in `npm run test:deep`, held against OpenZeppelin's two implementations, which share no code with
// this service's trees or with the contract.

const TREES = atDepth(200, 1_000);
const LEAVES_MAX = 6;
const BUCKETS_A_CALL = 125;
const PAYMENTS_A_CALL = 150;
const VERIFIER_FILE = "contracts/foreign/MerkleVerifier.sol";
const TYPES = ["address", "uint256"];
/** Repeats a run that failed: SEED=… */
const SEED = process.env.SEED ?? String(randomInt(1e9));

interface RandomTree {
  readonly leaves: readonly MerkleLeaf[];
  readonly hashes: readonly Hex[];
  readonly totalWei: bigint;
}

/** Makes a tree of 2 to 6 wallets: a wallet alone has no sibling in a plain tree. */
function createTree(tree: number): RandomTree {
  const random = (what: string) => keccak256(toHex(`${SEED} ${tree} ${what}`));
  const leaves = Array.from({ length: 2 + (tree % (LEAVES_MAX - 1)) }, (_, i) => ({
    address: random(`address ${i}`).slice(0, 42) as Address,
    amountWei: BigInt(random(`amount ${i}`)) % 10n ** 24n,
  }));
  const hashes = leaves.map(({ address, amountWei }) =>
    keccak256(
      keccak256(
        encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [address, amountWei]),
      ),
    ),
  );
  return { leaves, hashes, totalWei: leaves.reduce((sum, { amountWei }) => sum + amountWei, 0n) };
}

const trees = Array.from({ length: TREES }, (_, i) => createTree(i));
const operator = getTestAccount(0);
let anvil: Awaited<ReturnType<typeof startAnvil>>;
let verifier: Address;
let token: Address;
beforeAll(async () => {
  anvil = await startAnvil();
  const { MerkleVerifier } = compile(readCompilerInput(VERIFIER_FILE), VERIFIER_FILE);
  const receipt = await anvil.send(operator, { data: MerkleVerifier?.initCode ?? "0x" });
  verifier = receipt.contractAddress as Address;
  token = await anvil.deployToken();
  await mint(anvil, token, operator, 10n ** 40n);
  const args = [CAMPAIGN_CONTRACT_ADDRESS, 10n ** 40n] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await anvil.send(operator, { to: token, data });
}, 60_000);
afterAll(() => anvil.stop());

const verifierAbi = [
  {
    type: "function",
    name: "countValid",
    stateMutability: "pure",
    inputs: [
      { name: "root", type: "bytes32" },
      { name: "leaves", type: "bytes32[]" },
      { name: "proofs", type: "bytes32[][]" },
    ],
    outputs: [{ name: "count", type: "uint256" }],
  },
] as const;

function countValid(root: Hex, leaves: readonly Hex[], proofs: readonly (readonly Hex[])[]) {
  return anvil.client.readContract({
    address: verifier,
    abi: verifierAbi,
    functionName: "countValid",
    args: [root, leaves, proofs],
  });
}

test(`proofs made here verify with OpenZeppelin's contract and its library (seed ${SEED})`, async () => {
  for (const { leaves, hashes } of trees) {
    const tree = buildMerkleTree(leaves);
    const proofs = leaves.map((_, i) => tree.getProof(i));
    leaves.forEach(({ address, amountWei }, i) => {
      const [hash, proof] = [hashes[i] as Hex, proofs[i] as Hex[]];
      expect(SimpleMerkleTree.verify(tree.root, hash, proof)).toBe(true);
      expect(StandardMerkleTree.verify(tree.root, TYPES, [address, amountWei], proof)).toBe(true);
    });
    expect(await countValid(tree.root, hashes, proofs)).toBe(BigInt(leaves.length));
    // The verifier that says yes must be able to say no.
    expect(await countValid(tree.root, hashes, [...proofs.slice(1), ...proofs.slice(0, 1)])).toBe(
      0n,
    );
  }
}, 240_000);

/** A tree whose proofs are another library's. */
interface ForeignTree {
  readonly root: Hex;
  readonly proofs: readonly Hex[][];
}

/** OpenZeppelin's tree of the leaves: a sibling is any hash, and its mark a word of its own. */
function buildPlain({ hashes }: RandomTree): ForeignTree {
  const tree = SimpleMerkleTree.of([...hashes]);
  return {
    root: tree.root as Hex,
    proofs: hashes.map((hash) => tree.getProof(hash) as Hex[]),
  };
}

/** OpenZeppelin's tree of the leaves paired with their indices, which is this service's tree. */
function buildPaired({ leaves, hashes }: RandomTree): ForeignTree {
  const indices = hashes.map((_, i) => toHex(i, { size: 32 }));
  const pairs = hashes.map((hash, i) => {
    const index = indices[i] as Hex;
    return keccak256(concatHex(index < hash ? [index, hash] : [hash, index]));
  });
  const tree = SimpleMerkleTree.of(pairs);
  expect(tree.root).toBe(buildMerkleTree(leaves).root);
  return {
    root: tree.root as Hex,
    proofs: pairs.map((pair, i) => [indices[i] as Hex, ...(tree.getProof(pair) as Hex[])]),
  };
}

test.each([
  ["of the leaves", buildPlain],
  ["of the leaves with their indices", buildPaired],
] as const)(
  "proofs that SimpleMerkleTree makes %s claim from a bucket, every one",
  async (what, build) => {
    const foreign = trees.map((tree) => ({ ...tree, ...build(tree) }));
    for (let next = 0; next < foreign.length; next += BUCKETS_A_CALL) {
      const some = foreign.slice(next, next + BUCKETS_A_CALL);
      const id = await create(keccak256(toHex(`${what} ${next}`)), some);
      const payments = some.flatMap(({ leaves, proofs }) =>
        leaves.map(({ address, amountWei }, i) => ({
          account: address,
          id,
          amount: amountWei,
          proof: proofs[i] as Hex[],
        })),
      );
      for (let at = 0; at < payments.length; at += PAYMENTS_A_CALL) {
        await pay(payments.slice(at, at + PAYMENTS_A_CALL));
      }
      for (const { root } of some) {
        const bucket = { functionName: "bucket", args: [id, root] } as const;
        const left = await anvil.client.readContract({
          address: CAMPAIGN_CONTRACT_ADDRESS,
          abi: campaignAbi,
          ...bucket,
        });
        expect(left).toEqual([true, 0n]);
      }
    }
  },
  240_000,
);

async function create(
  ref: Hex,
  buckets: readonly { readonly root: Hex; readonly totalWei: bigint }[],
): Promise<bigint> {
  const list = buckets.map(({ root, totalWei }) => ({ root, total: totalWei }));
  const args = [token, 0, operator.address, ref, list] as const;
  const data = encodeFunctionData({ abi: campaignAbi, functionName: "create", args });
  const { logs } = await anvil.send(operator, { to: CAMPAIGN_CONTRACT_ADDRESS, data });
  const [created] = parseEventLogs({ abi: campaignAbi, eventName: "AirdropCreated", logs });
  return created?.args.id ?? 0n;
}

/** Pays a part, and checks that nothing was skipped and every token arrived. */
async function pay(
  payments: readonly { account: Address; id: bigint; amount: bigint; proof: Hex[] }[],
): Promise<void> {
  const args = [payments, 500_000n] as const;
  const data = encodeFunctionData({ abi: campaignAbi, functionName: "distribute", args });
  const { logs } = await anvil.send(operator, { to: CAMPAIGN_CONTRACT_ADDRESS, data });
  expect(parseEventLogs({ abi: campaignAbi, eventName: "Skipped", logs })).toEqual([]);
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs });
  expect(transfers.map(({ args: { to, value } }) => [to.toLowerCase(), value])).toEqual(
    payments.map(({ account, amount }) => [account, amount]),
  );
}
