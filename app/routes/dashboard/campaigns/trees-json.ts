import type { LoaderFunctionArgs } from "@remix-run/node";
import { getCampaignContract } from "../../../chain/rpc/chains";
import { mayRead } from "../../../domain/access/pages";
import type { Campaign } from "../../../domain/campaigns/campaign";
import { streamDownload } from "../../../http/download";
import { page } from "../../../http/page";
import { exportTrees } from "../../../services/campaigns/files";
import {
  type TreeFacts,
  writeTreeFile,
  writeTreeHead,
} from "../../../services/campaigns/tree-text";
import { requireCampaign } from "./campaign.server";

/**
 * Answers every merkle tree with all data that it is built from, for `docs/verify-campaign.ts`.
 */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, mayRead("rewards/:rewardId/trees.json"));
  const parts = await exportTrees(member, campaign);
  return streamDownload(
    `${campaign.campaignId}-trees.json`,
    "application/json; charset=utf-8",
    writeTreeFile(writeTreeHead(toFacts(campaign)), parts),
    args.context,
  );
});

function toFacts(campaign: Campaign): TreeFacts {
  const { chainId, airdrop } = campaign;
  return {
    campaignId: campaign.campaignId,
    campaignName: campaign.campaignName,
    rewardId: campaign.id,
    chainId,
    contractAddress:
      airdrop?.contractAddress ?? (chainId === null ? null : getCampaignContract(chainId)),
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
