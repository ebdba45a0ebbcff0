import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { parseAddress } from "../../../domain/address";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { createCampaignBatch } from "../../../services/campaigns/chain/safe";

/**
 * Answers the transactions that a Safe has to send for a campaign, as a file for its Transaction
 * Builder.
 */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("rewards/:rewardId/safe.json"));
  const seenAdmin = parseAddress(new URL(args.request.url).searchParams.get("admin") ?? "");
  const batch = await createCampaignBatch(member, args.params.rewardId ?? "", seenAdmin);
  return new Response(JSON.stringify(batch, null, 2), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": 'attachment; filename="safe.json"',
      "Cache-Control": "no-store",
    },
  });
});
