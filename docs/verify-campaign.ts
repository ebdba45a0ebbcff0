// Recomputes a campaign from its file, and compares it with the chain.
//
//   npx tsx docs/verify-campaign.ts FILE [--csv FILE] [--rpc URL] [--proof ADDRESS]
//
// FILE is a campaign's public tree.json, or its operator's trees.json; the CSV is its
// allocation.csv. The exit status is 1 when anything differs. With --proof it writes a wallet's
// proof and the transaction that claims with it; with --rpc as well it says whether the share is
// paid already, or the contract holds too little for it. Apart from the files it needs nothing of
// this service: only viem and @openzeppelin/merkle-tree.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SimpleMerkleTree } from "@openzeppelin/merkle-tree";
import {
  type Address,
  concatHex,
  createPublicClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  numberToHex,
  parseAbi,
  zeroAddress,
} from "viem";

type Leaf = readonly [address: Address, points: number | null, amountWei: string];

interface Bucket {
  readonly bucket: number;
  readonly round: number;
  readonly root: Hex;
  readonly totalAmountWei: string;
  readonly leaves: readonly Leaf[];
}

interface Round {
  readonly round: number;
  readonly totalAmountWei: string;
  readonly totalWeight: string | null;
}

interface CampaignFile {
  readonly format: string;
  readonly version: number;
  readonly campaignId: string;
  readonly campaignName: string;
  readonly chainId: number | null;
  readonly contractAddress: Address | null;
  readonly onchainId: string | null;
  readonly adminAddress: Address | null;
  readonly tokenAddress: Address | null;
  readonly tokenDecimals: number;
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly claimDeadline: string | null;
  readonly rounds: readonly Round[];
  readonly buckets: readonly Bucket[];
}

const CONTRACT = parseAbi([
  "function airdrop(uint256 id) view returns (address token, uint40 deadline, uint8 status, address admin, address pendingAdmin)",
  "function bucket(uint256 id, bytes32 root) view returns (bool exists, uint256 unclaimed)",
  "function isClaimed(uint256 id, bytes32 root, uint256 index) view returns (bool)",
  "function claim(uint256 id, uint256 amount, bytes32[] proof)",
]);
/** The status of an airdrop in the contract that its admin cancelled. */
const CANCELLED = 2;
const TOKEN = parseAbi(["function decimals() view returns (uint8)"]);

/** The number of differences that are printed; the rest are only counted. */
const SHOWN_MAX = 20;
let differences = 0;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function differ(line: string): void {
  differences += 1;
  if (differences <= SHOWN_MAX) say(`DIFFERS  ${line}`);
}

function same(what: string, expected: unknown, found: unknown): void {
  if (String(expected).toLowerCase() === String(found).toLowerCase()) return;
  differ(`${what}: the file has ${expected}, found ${found}`);
}

/** Reports that a part is right, unless a difference was found in it. */
async function check(what: string, verify: () => void | Promise<void>): Promise<void> {
  const before = differences;
  await verify();
  if (differences === before) say(`ok       ${what}`);
}

/**
 * Hashes a leaf as OpenZeppelin's standard trees do: keccak256(keccak256(abi.encode(address,
 * amount))).
 */
function hashLeaf([address, , amountWei]: Leaf): Hex {
  const types = [{ type: "address" }, { type: "uint256" }] as const;
  return keccak256(keccak256(encodeAbiParameters(types, [address, BigInt(amountWei)])));
}

/** Hashes a leaf with its index, the lower of the two first. */
function hashPair(leaf: Hex, index: number): Hex {
  const word = numberToHex(index, { size: 32 });
  return keccak256(concatHex(word < leaf ? [word, leaf] : [leaf, word]));
}

function verifyBucket({ bucket, root, totalAmountWei, leaves }: Bucket): void {
  if (leaves.length === 0) {
    differ(`tree ${bucket} has no leaves`);
    return;
  }
  const tree = SimpleMerkleTree.of(leaves.map((leaf, index) => hashPair(hashLeaf(leaf), index)));
  same(`root of tree ${bucket}`, root, tree.root);
  const sum = leaves.reduce((total, [, , amountWei]) => total + BigInt(amountWei), 0n);
  same(`sum of tree ${bucket}`, totalAmountWei, sum);
}

/**
 * Checks a round's amounts: the floor of each share, then one unit each by largest remainder, equal
 * remainders by lower address.
 */
function verifyRound(file: CampaignFile, round: Round, leaves: readonly Leaf[]): void {
  const { minPoints, maxPoints } = file;
  const totalWei = BigInt(round.totalAmountWei);
  const wallets = leaves.map(([address, points, amountWei]) => {
    const own = points ?? 0;
    if (points === null || own < Math.max(1, minPoints)) {
      differ(`${address} has a share with ${own} points, ${minPoints} are needed`);
    }
    const weight = BigInt(maxPoints === null ? own : Math.min(own, maxPoints));
    return { address, weight, amountWei };
  });
  const totalWeight = wallets.reduce((sum, { weight }) => sum + weight, 0n);
  same(`sum of weights of split ${round.round}`, round.totalWeight, totalWeight);
  if (totalWeight === 0n) return;
  let left = totalWei;
  const shares = wallets.map((wallet) => {
    const floor = (totalWei * wallet.weight) / totalWeight;
    left -= floor;
    return { ...wallet, floor, remainder: (totalWei * wallet.weight) % totalWeight };
  });
  shares.sort((a, b) => {
    if (a.remainder !== b.remainder) return a.remainder > b.remainder ? -1 : 1;
    return a.address < b.address ? -1 : 1;
  });
  shares.forEach(({ address, floor, amountWei }, place) => {
    same(`amount of ${address}`, amountWei, floor + (BigInt(place) < left ? 1n : 0n));
  });
}

function verifyCsv(path: string, leaves: readonly Leaf[]): void {
  const [header = "", ...lines] = readFileSync(path, "utf8").trimEnd().split(/\r?\n/);
  const amountColumn = header.split(",").indexOf("amount wei");
  const rows = new Map(
    lines.map((line) => {
      const cells = line.split(",");
      return [cells[0], cells[amountColumn]];
    }),
  );
  same("number of wallets in the CSV", leaves.length, rows.size);
  for (const [address, , amountWei] of leaves) {
    same(`amount of ${address} in the CSV`, amountWei, rows.get(address));
  }
}

async function verifyChain(file: CampaignFile, url: string): Promise<void> {
  const { chainId, contractAddress, onchainId } = file;
  if (chainId === null || contractAddress === null || onchainId === null) {
    differ("the file names no airdrop on chain");
    return;
  }
  const client = createPublicClient({ transport: http(url) });
  same("chain id", chainId, await client.getChainId());
  const contract = { address: contractAddress, abi: CONTRACT } as const;
  const id = BigInt(onchainId);
  const [token, deadline, status, admin] = await client.readContract({
    ...contract,
    functionName: "airdrop",
    args: [id],
  });
  if (admin === zeroAddress) differ(`there is no airdrop ${onchainId} at ${contractAddress}`);
  if (status === CANCELLED) say("         the airdrop is cancelled: nobody can claim from it");
  const isPast = deadline > 0 && (await client.getBlock()).timestamp > BigInt(deadline);
  if (isPast) say("         the deadline has passed: nobody can claim any more");
  same("token on chain", file.tokenAddress ?? zeroAddress, token);
  const deadlineMs = file.claimDeadline === null ? 0 : Date.parse(file.claimDeadline);
  const promised = Math.floor(deadlineMs / 1_000);
  if (promised > 0 && deadline > promised) {
    const later = new Date(deadline * 1_000).toISOString();
    say(
      `         wallets may claim until ${later}, longer than the file says: its admin extended it`,
    );
  } else same("deadline on chain", promised, deadline);
  if (file.adminAddress !== null) same("admin on chain", file.adminAddress, admin);
  if (file.tokenAddress !== null) {
    const token = { address: file.tokenAddress, abi: TOKEN } as const;
    const decimals = await client.readContract({ ...token, functionName: "decimals" });
    same("decimals of the token", file.tokenDecimals, decimals);
  }
  let unclaimedWei = 0n;
  for (const { bucket, root, totalAmountWei } of file.buckets) {
    const [exists, unclaimed] = await client.readContract({
      ...contract,
      functionName: "bucket",
      args: [id, root],
    });
    if (!exists) differ(`tree ${bucket} is not in the contract`);
    if (unclaimed > BigInt(totalAmountWei)) {
      differ(`tree ${bucket} holds ${unclaimed} on chain, more than its ${totalAmountWei}`);
    }
    unclaimedWei += unclaimed;
  }
  say(`         ${unclaimedWei} base units are unclaimed on chain`);
}

/** Writes a wallet's proof and the transaction that claims with it. */
async function writeProof(file: CampaignFile, wallet: string, url: string | undefined) {
  const isOwn = ([address]: Leaf) => address.toLowerCase() === wallet.toLowerCase();
  const found = file.buckets.find(({ leaves }) => leaves.some(isOwn));
  const index = found?.leaves.findIndex(isOwn) ?? -1;
  const leaf = found?.leaves[index];
  const { chainId, contractAddress, onchainId } = file;
  if (!found || !leaf || contractAddress === null || onchainId === null) {
    differ(`${wallet} has no share in an airdrop of this file`);
    return;
  }
  const tree = SimpleMerkleTree.of(found.leaves.map((one, i) => hashPair(hashLeaf(one), i)));
  const sibling = numberToHex(index, { size: 32 });
  const proof = [sibling, ...(tree.getProof(index) as Hex[])];
  const args = [BigInt(onchainId), BigInt(leaf[2]), proof] as const;
  const data = encodeFunctionData({ abi: CONTRACT, functionName: "claim", args });
  say(JSON.stringify({ chainId, from: leaf[0], to: contractAddress, value: "0", data }, null, 2));
  say(JSON.stringify({ onchainId, amountWei: leaf[2], merkleProof: proof }, null, 2));
  if (url === undefined) return;
  const client = createPublicClient({ transport: http(url) });
  const contract = { address: contractAddress, abi: CONTRACT } as const;
  const isPaid = await client.readContract({
    ...contract,
    functionName: "isClaimed",
    args: [args[0], found.root, BigInt(index)],
  });
  say(isPaid ? "         this share is paid already" : "         this share is not paid yet");
  const [, unclaimedWei] = await client.readContract({
    ...contract,
    functionName: "bucket",
    args: [args[0], found.root],
  });
  if (!isPaid && unclaimedWei < BigInt(leaf[2])) {
    say("         this tree holds less than the share: it cannot be claimed");
  }
}

function readFile(path: string): CampaignFile {
  const file = JSON.parse(readFileSync(path, "utf8")) as CampaignFile;
  if (file.format !== "points-and-rewards campaign trees" || file.version !== 1) {
    throw new Error("This is no trees.json of a campaign, version 1");
  }
  return file;
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { rpc: { type: "string" }, csv: { type: "string" }, proof: { type: "string" } },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) {
    throw new Error(
      "Usage: npx tsx docs/verify-campaign.ts FILE [--csv FILE] [--rpc URL] [--proof ADDRESS]",
    );
  }
  const file = readFile(path);
  const leaves = file.buckets.flatMap((bucket) => bucket.leaves);
  say(`${file.campaignId} “${file.campaignName.replace(/\p{C}/gu, "")}”`);
  say(`         ${leaves.length} wallets in ${file.buckets.length} trees`);
  await check("every wallet has one share", () => {
    const addresses = new Set(leaves.map(([address]) => address.toLowerCase()));
    same("number of different wallets", leaves.length, addresses.size);
  });
  await check(`roots and sums of ${file.buckets.length} trees`, () => {
    for (const bucket of file.buckets) verifyBucket(bucket);
  });
  for (const round of file.rounds) {
    const own = file.buckets.filter((bucket) => bucket.round === round.round);
    const ownLeaves = own.flatMap((bucket) => bucket.leaves);
    await check(`split ${round.round}: ${ownLeaves.length} amounts from points`, () => {
      const sum = own.reduce((total, bucket) => total + BigInt(bucket.totalAmountWei), 0n);
      same(`total of split ${round.round}`, round.totalAmountWei, sum);
      verifyRound(file, round, ownLeaves);
    });
  }
  if (file.rounds.length === 0) say("         the amounts were given from outside: no points");
  const { csv, rpc, proof } = values;
  if (csv !== undefined) await check("the CSV", () => verifyCsv(csv, leaves));
  if (rpc !== undefined) await check("the chain", () => verifyChain(file, rpc));
  if (proof !== undefined) await writeProof(file, proof, rpc);
  if (differences > 0) {
    say(`${differences} ${differences === 1 ? "difference" : "differences"}`);
    process.exitCode = 1;
  } else say("Everything is as the file says.");
}

try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
