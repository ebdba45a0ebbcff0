import type { Hex } from "viem";
import { estimateContractGas } from "viem/actions";
import type { Config } from "wagmi";
import { estimateFeesPerGas, getBlock, readContract } from "wagmi/actions";
import type { Address } from "../../../../domain/address";
import { campaignAbi } from "../../../../domain/campaigns/contract";
import {
  distributeCall,
  isMarked,
  type Payment,
  type Skip,
  toCursor,
} from "../../../../domain/campaigns/pay-out";

/** The airdrop that is paid out. */
export interface PaidAirdrop {
  readonly chainId: number;
  readonly contract: Address;
  readonly onchainId: bigint;
  /** The address of the next shares. */
  readonly paymentsPath: string;
}

/** The payments of the next transaction, and its cost. */
export interface PayOutBatch {
  readonly payments: readonly Payment[];
  /** The place after the last payment. */
  readonly end: string;
  readonly gas: bigint;
  readonly costWei: bigint;
}

/** A transaction takes at most this part of a block's gas. */
const BLOCK_PART = 2n;

/**
 * Finds the next payments that the contract has not made, and estimates their cost.
 * @param after the place after which they are; null for the beginning
 * @param isLeftOut tells the wallets that are not to be paid now
 * @returns null when there are none
 */
export async function findNextBatch(
  config: Config,
  airdrop: PaidAirdrop,
  account: Address,
  after: string | null,
  isLeftOut: (account: Address) => boolean,
): Promise<PayOutBatch | null> {
  for (let cursor = after; ; ) {
    const listed = await fetchPayments(airdrop.paymentsPath, cursor);
    const last = listed.at(-1);
    if (!last) return null;
    const open = await dropPaid(config, airdrop, listed);
    const payments = open.filter((one) => !isLeftOut(one.account));
    if (payments.length > 0) return fitIntoBlock(config, airdrop, account, payments);
    cursor = toCursor(last);
  }
}

async function fetchPayments(path: string, cursor: string | null): Promise<readonly Payment[]> {
  const answer = await fetch(cursor === null ? path : `${path}?after=${cursor}`);
  if (!answer.ok) throw new Error(`The service does not list the shares: ${await answer.text()}`);
  const { payments } = (await answer.json()) as { payments: readonly Payment[] };
  return payments;
}

/** Leaves out what the contract has paid already: the service may know it a moment later. */
async function dropPaid(
  config: Config,
  { chainId, contract, onchainId }: PaidAirdrop,
  listed: readonly Payment[],
): Promise<Payment[]> {
  const words = new Map<string, { root: Hex; word: bigint }>();
  const keyOf = ({ root, leafIndex }: Payment) => `${root} ${Math.floor(leafIndex / 256)}`;
  for (const one of listed) {
    words.set(keyOf(one), { root: one.root, word: BigInt(Math.floor(one.leafIndex / 256)) });
  }
  const marks = new Map<string, bigint>();
  await Promise.all(
    [...words].map(async ([key, { root, word }]) => {
      const [found] = await readContract(config, {
        abi: campaignAbi,
        address: contract,
        chainId,
        functionName: "marksOf",
        args: [onchainId, root, [word]],
      });
      marks.set(key, found ?? 0n);
    }),
  );
  return listed.filter((one) => !isMarked(marks.get(keyOf(one)) ?? 0n, one.leafIndex));
}

/** Halves the batch until its gas is well within a block. */
async function fitIntoBlock(
  config: Config,
  airdrop: PaidAirdrop,
  account: Address,
  payments: readonly Payment[],
): Promise<PayOutBatch> {
  const { chainId } = airdrop;
  const client = config.getClient({ chainId });
  const [{ gasLimit }, { maxFeePerGas }] = await Promise.all([
    getBlock(config, { chainId }),
    estimateFeesPerGas(config, { chainId }),
  ]);
  for (let some = payments; ; some = some.slice(0, Math.ceil(some.length / 2))) {
    const call = { ...distributeCall(airdrop, some), account } as never;
    const isLast = some.length === 1;
    const estimate = await estimateContractGas(client, call).catch((error: unknown) => {
      // An endpoint may refuse to estimate a large call.
      if (isLast) throw error;
      return null;
    });
    if (estimate === null || (estimate > gasLimit / BLOCK_PART && !isLast)) continue;
    const end = toCursor(some.at(-1) as Payment);
    return { payments: some, end, gas: estimate, costWei: estimate * (maxFeePerGas ?? 0n) };
  }
}

// The payments that were skipped stay known in this browser until they are tried again.

const SKIPS_MAX = 2_000;
const toName = (rewardId: string) => `pay-out-skipped:${rewardId}`;

/** Reads the payments that were skipped before, in this browser. */
export function readSkips(rewardId: string): readonly Skip[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(toName(rewardId)) ?? "[]");
    return Array.isArray(kept) ? (kept as Skip[]).slice(0, SKIPS_MAX) : [];
  } catch {
    return [];
  }
}

/** Keeps the payments that were skipped. */
export function keepSkips(rewardId: string, skips: readonly Skip[]): void {
  try {
    localStorage.setItem(toName(rewardId), JSON.stringify(skips.slice(0, SKIPS_MAX)));
  } catch {
    // They are shown until the page is left.
  }
}
