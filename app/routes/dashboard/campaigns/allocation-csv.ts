import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import type { CampaignTerms } from "../../../domain/campaigns/campaign";
import { Failure } from "../../../domain/failure";
import { formatTokenAmount } from "../../../domain/rewards/token-amount";
import { streamCsv } from "../../../http/csv";
import { page } from "../../../http/page";
import { exportShares, type FileShare } from "../../../services/campaigns/files";
import { requireCampaign } from "./campaign.server";

const HEADER = [
  "address",
  "points",
  "weight",
  "amount wei",
  "amount",
  "round",
  "bucket",
  "index",
  "claimed",
] as const;

/** Answers the allocation of every wallet, as a CSV file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(
    args,
    mayRead("rewards/:rewardId/allocation.csv"),
  );
  const batches = exportShares(member, campaign);
  const first = await batches.next();
  if (first.done || first.value.length === 0) throw new Failure("campaign_not_split");
  const rows = toRows(first.value, batches, campaign);
  return streamCsv(`${campaign.campaignId}-allocation.csv`, HEADER, rows, args.context);
});

async function* toRows(
  first: readonly FileShare[],
  others: AsyncIterable<readonly FileShare[]>,
  { tokenDecimals, maxPoints }: CampaignTerms,
) {
  const toRow = ({ address, points, amountWei, ...share }: FileShare) => [
    address,
    points,
    points === null || maxPoints === null ? points : Math.min(points, maxPoints),
    amountWei.toString(),
    formatTokenAmount(amountWei, tokenDecimals),
    share.round,
    share.bucket,
    share.leafIndex,
    share.claimedAt?.toISOString() ?? "",
  ];
  yield* first.map(toRow);
  for await (const batch of others) yield* batch.map(toRow);
}
