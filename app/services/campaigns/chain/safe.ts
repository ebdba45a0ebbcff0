import { getAddress } from "viem";
import { findAllowance } from "../../../chain/campaigns/allowance";
import { requireDeployment } from "../../../chain/campaigns/deployment";
import { getCampaignContract } from "../../../chain/rpc/chains";
import { withDatabase } from "../../../db/client";
import type { Address } from "../../../domain/address";
import { listFundingCalls } from "../../../domain/campaigns/calls";
import { cutIntoTransactions } from "../../../domain/campaigns/cost";
import { toCampaignRef } from "../../../domain/campaigns/ref";
import { createSafeBatch } from "../../../domain/campaigns/safe-batch";
import { Failure } from "../../../domain/failure";
import type { Editor } from "../../access/members";
import {
  listUnfundedBuckets,
  selectChainCampaign,
  toDeadlineSeconds,
  toRewardKey,
  toTokenAddress,
} from "./page";

/**
 * Makes the next step of a campaign on chain as a file for the admin's Safe. The first file is the
 * creation with as many buckets as fit a transaction; further files add the other buckets.
 * @param seenAdmin the admin that the page showed beside the link; null when it is not known
 * @throws {Failure} `not_found` when no admin is named or nothing is left to add,
 *   `campaign_not_built`, `campaign_changed` when the admin is another one now, `contract_absent`,
 *   `contract_different`, `chain_not_configured`, `chain_unavailable`
 */
export async function createCampaignBatch(
  member: Editor,
  rewardId: string,
  seenAdmin: Address | null,
) {
  const key = toRewardKey(member, rewardId);
  const [campaign, unfunded] = await withDatabase(async (db) => [
    await selectChainCampaign(db, key),
    await listUnfundedBuckets(db, key),
  ]);
  const { adminAddress, airdropStatus, onchainId, chainId, contractAddress } = campaign;
  const isOpen = onchainId === null ? airdropStatus === "ready" : airdropStatus === "active";
  if (!isOpen || campaign.status === "cancelled") throw new Failure("campaign_not_built");
  const [buckets] = cutIntoTransactions(unfunded, chainId);
  if (adminAddress === null || !buckets) throw new Failure("not_found");
  if (seenAdmin !== null && seenAdmin !== adminAddress) throw new Failure("campaign_changed");
  const admin = getAddress(adminAddress);
  const terms = {
    contract: contractAddress ?? getCampaignContract(chainId),
    token: toTokenAddress(campaign),
    deadlineSeconds: toDeadlineSeconds(campaign.claimDeadline),
    admin: adminAddress,
    ref: toCampaignRef(campaign.rewardId),
  };
  await requireDeployment(chainId, terms.contract);
  const allowanceWei = await findAllowance(chainId, terms.token, adminAddress, terms.contract);
  const what = onchainId === null ? "Create" : "Add buckets to";
  return createSafeBatch({
    chainId,
    safe: adminAddress,
    name: `${what} ${campaign.name} · ADMIN ${admin}`,
    description: `ADMIN ${admin} can cancel and take the tokens back. ${campaign.campaignId ?? ""}: ${buckets.length} of ${unfunded.length} buckets`,
    createdAt: new Date(),
    calls: listFundingCalls(terms, onchainId, buckets, allowanceWei),
  });
}
