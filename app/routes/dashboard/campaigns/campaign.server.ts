import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import type { AtLeast, Role } from "../../../domain/access/role";
import type { Campaign } from "../../../domain/campaigns/campaign";
import { requireMember } from "../../../http/member";
import type { Member } from "../../../services/access/members";
import { getCampaign, getRewardKind } from "../../../services/campaigns/campaigns";

/**
 * Returns the member, and the campaign in the page's path. Every page of a campaign begins with
 * this call.
 * @throws {Response} a redirect to the pages of gift cards, when the reward is a gift card reward
 * @throws {Failure} `not_found`, `role_missing`
 */
export async function requireCampaign<Needed extends Role>(
  args: LoaderFunctionArgs,
  needed: Needed,
): Promise<{ member: Member<AtLeast<Needed>>; campaign: Campaign }> {
  const member = await requireMember(args, needed);
  const { rewardId = "" } = args.params;
  if ((await getRewardKind(member, rewardId)) === "giftcard") {
    throw redirect(`/dashboard/${member.pointSystemId}/gift-cards/${rewardId}`);
  }
  return { member, campaign: await getCampaign(member, rewardId) };
}
