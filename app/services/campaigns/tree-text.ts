import type { TreePart } from "./files";

// The text of a campaign's file of trees, which docs/verify-campaign.ts reads.

/** The facts at the beginning of the file, beside its format. */
export interface TreeFacts {
  readonly campaignId: string;
  readonly campaignName: string;
  readonly rewardId: string;
  readonly chainId: number | null;
  readonly contractAddress: string | null;
  readonly onchainId: string | null;
  readonly adminAddress: string | null;
  readonly tokenType: string;
  readonly tokenAddress: string | null;
  readonly tokenSymbol: string;
  readonly tokenDecimals: number;
  readonly totalAmountWei: string;
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly claimDeadline: Date | string | null;
  readonly rounds: readonly {
    readonly round: number;
    readonly totalAmountWei: string;
    readonly totalWeight: string | null;
    readonly wallets: number | null;
    readonly bucketSize: number | null;
    readonly snapshotAt: Date | string | null;
  }[];
}

/** The number of leaves that are written at once. */
const LEAVES_A_PIECE = 500;

/** Writes the lines before the trees. One value is on a line, so that people can read them as well. */
export function writeTreeHead(facts: TreeFacts): string {
  const head = { format: "points-and-rewards campaign trees", version: 1, ...facts };
  return `${JSON.stringify(head, null, 1).slice(0, -2)},\n "buckets": [`;
}

/**
 * Writes the file in pieces. A leaf is `[address, points, amount in base units]`; its place in the
 * list is its index.
 */
export async function* writeTreeFile(
  head: string,
  parts: AsyncIterable<TreePart>,
): AsyncGenerator<string> {
  let text = head;
  let leaves = 0;
  let isFirstTree = true;
  let isFirstLeaf = true;
  for await (const part of parts) {
    if (part.kind === "tree") {
      const { totalAmountWei, ...tree } = part.tree;
      const opening = JSON.stringify({ ...tree, totalAmountWei: totalAmountWei.toString() });
      text += `${isFirstTree ? "" : "]},"}\n${opening.slice(0, -1)},"leaves":[`;
      isFirstTree = false;
      isFirstLeaf = true;
      continue;
    }
    const { address, points, amountWei } = part.leaf;
    text += `${isFirstLeaf ? "" : ","}\n${JSON.stringify([address, points, amountWei.toString()])}`;
    isFirstLeaf = false;
    leaves += 1;
    if (leaves % LEAVES_A_PIECE !== 0) continue;
    yield text;
    text = "";
  }
  yield `${text}${isFirstTree ? "" : "]}"}\n]}\n`;
}
