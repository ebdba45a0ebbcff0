import type { LoaderFunctionArgs } from "@remix-run/node";
import { getCampaignContract } from "../../../chain/rpc/chains";
import type { Campaign } from "../../../domain/campaigns/campaign";
import { streamDownload } from "../../../http/download";
import { page } from "../../../http/page";
import { exportTrees, type TreePart } from "../../../services/campaigns/files";
import { requireCampaign } from "./campaign.server";

/** The number of leaves that are written at once. */
const LEAVES_A_PIECE = 500;

/**
 * Answers every merkle tree with all data that it is built from, for `docs/verify-campaign.ts`. A
 * leaf is `[address, points, amount in base units]`; its place in the list is its index.
 */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, "viewer");
  const parts = await exportTrees(member, campaign);
  return streamDownload(
    `${campaign.campaignId}-trees.json`,
    "application/json; charset=utf-8",
    toPieces(campaign, parts),
    args.context.logError,
  );
});

async function* toPieces(campaign: Campaign, parts: AsyncIterable<TreePart>) {
  // One value a line, so that people can read and compare the file as well.
  const lines = JSON.stringify(describeCampaign(campaign), null, 1).slice(0, -2);
  let text = `${lines},\n "buckets": [`;
  let leaves = 0;
  let isFirstTree = true;
  let isFirstLeaf = true;
  for await (const part of parts) {
    if (part.kind === "tree") {
      const { totalAmountWei, ...tree } = part.tree;
      const head = JSON.stringify({ ...tree, totalAmountWei: totalAmountWei.toString() });
      text += `${isFirstTree ? "" : "]},"}\n${head.slice(0, -1)},"leaves":[`;
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

function describeCampaign(campaign: Campaign) {
  const { chainId, airdrop } = campaign;
  return {
    format: "points-and-rewards campaign trees",
    version: 1,
    campaignId: campaign.campaignId,
    campaignName: campaign.campaignName,
    rewardId: campaign.id,
    chainId,
    contractAddress: airdrop?.contractAddress ?? (chainId && getCampaignContract(chainId)),
    onchainId: airdrop?.onchainId?.toString() ?? null,
    adminAddress: airdrop?.adminAddress ?? null,
    tokenType: campaign.tokenType,
    tokenAddress: campaign.tokenAddress,
    tokenSymbol: campaign.tokenSymbol,
    tokenDecimals: campaign.tokenDecimals,
    totalAmountWei: campaign.totalAmountWei.toString(),
    minPoints: campaign.minPoints,
    maxPoints: campaign.maxPoints,
    claimDeadline: campaign.claimDeadline,
    rounds: campaign.rounds
      .filter(({ status }) => status === "built")
      .map(({ round, totalAmountWei, totalWeight, wallets, bucketSize, snapshotAt }) => ({
        round,
        totalAmountWei: totalAmountWei.toString(),
        totalWeight: totalWeight?.toString() ?? null,
        wallets,
        bucketSize,
        snapshotAt,
      })),
  };
}
