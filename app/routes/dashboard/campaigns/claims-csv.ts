import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import type { CampaignTerms } from "../../../domain/campaigns/campaign";
import { formatTokenAmount } from "../../../domain/rewards/token-amount";
import { streamCsv } from "../../../http/csv";
import { page } from "../../../http/page";
import { exportShares, type FileShare } from "../../../services/campaigns/files";
import { requireCampaign } from "./campaign.server";

const HEADER = ["address", "amount wei", "amount", "claimed", "transaction", "reference"] as const;

/** Answers the claims and payouts of a campaign by address, as a CSV file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, mayRead("rewards/:rewardId/claims.csv"));
  const rows = toRows(exportShares(member, campaign), campaign);
  return streamCsv(`${campaign.campaignId}-claims.csv`, HEADER, rows, args.context);
});

async function* toRows(
  batches: AsyncIterable<readonly FileShare[]>,
  { tokenDecimals }: CampaignTerms,
) {
  for await (const batch of batches) {
    for (const { address, amountWei, claimedAt, claimTxHash, payoutReference } of batch) {
      if (claimedAt === null) continue;
      yield [
        address,
        amountWei.toString(),
        formatTokenAmount(amountWei, tokenDecimals),
        claimedAt.toISOString(),
        claimTxHash && `0x${Buffer.from(claimTxHash).toString("hex")}`,
        payoutReference,
      ];
    }
  }
}
