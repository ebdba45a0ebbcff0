import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLocation, useRouteLoaderData } from "@remix-run/react";
import { RewardBadge } from "../../../components/dashboard/rewards/badge";
import { RewardStages } from "../../../components/dashboard/rewards/stages";
import { PageHeader } from "../../../components/page/page-header";
import { getButtonClass } from "../../../components/ui/button";
import { CopyTextButton } from "../../../components/ui/copy-button";
import { Tabs } from "../../../components/ui/tabs";
import { TokenAmount } from "../../../components/ui/token-amount";
import { mayRead } from "../../../domain/access/pages";
import { isSplit } from "../../../domain/campaigns/campaign";
import { isRewardChainId, REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { page } from "../../../http/page";
import { usePointSystem } from "../point-systems/layout";
import { requireCampaign } from "./campaign.server";

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { campaign } = await requireCampaign(args, mayRead("rewards/:rewardId"));
  return { campaign, origin: args.context.appOrigin, readAt: Date.now() };
});

/** Returns the campaign of the pages beneath this one, and when it was read. */
export function useCampaign() {
  const data = useRouteLoaderData<typeof loader>("routes/dashboard/campaigns/layout");
  if (!data) throw new Error("This is no page of a campaign");
  return data;
}

const TABS = [
  { path: "", label: "Overview" },
  { path: "/preview", label: "Preview" },
  { path: "/wallets", label: "Wallets" },
  { path: "/payouts", label: "Payouts" },
  { path: "/chain", label: "On chain" },
] as const;

export default function CampaignLayout() {
  const { campaign, origin } = useCampaign();
  const { id: pointSystemId, slug } = usePointSystem();
  const { pathname } = useLocation();
  const base = `/dashboard/${pointSystemId}/rewards/${campaign.id}`;
  const { chainId, campaignId, campaignName, status } = campaign;
  const staged = { ...campaign, kind: "token", isSplit: isSplit(campaign) } as const;
  const claimUrl = `${origin}/claim/${slug ?? pointSystemId}`;
  // A campaign is paid by its contract, or by hand.
  const unused = chainId === null ? "/chain" : "/payouts";
  const tabs = TABS.filter(({ path }) => path !== unused);
  return (
    <>
      <PageHeader
        title={campaignName}
        breadcrumb={[{ label: "Rewards", to: `/dashboard/${pointSystemId}/rewards` }]}
        actions={
          (status === "active" || status === "distributed") && (
            <>
              <CopyTextButton text={claimUrl} label="Copy claim link" />
              <a href={claimUrl} className={getButtonClass("quiet", "small")}>
                Open claim page
              </a>
            </>
          )
        }
        description={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {status === "cancelled" && <RewardBadge reward={staged} />}
            <span className="font-mono text-[0.8125rem]">{campaignId}</span>
            <span aria-hidden="true">·</span>
            <TokenAmount amountWei={campaign.totalAmountWei} token={campaign} />
            {chainId !== null && isRewardChainId(chainId) && (
              <>
                <span aria-hidden="true">·</span>
                {REWARD_CHAINS[chainId].name}
              </>
            )}
          </span>
        }
      />
      <div className="mt-5">
        <RewardStages reward={staged} />
      </div>
      <div className="mt-4">
        <Tabs
          label="Campaign"
          tabs={tabs.map(({ path, label }) => ({
            label,
            to: base + path,
            isCurrent: path === "" ? isOverview(pathname, base) : pathname.startsWith(base + path),
          }))}
        />
      </div>
      <div className="mt-6">
        <Outlet />
      </div>
    </>
  );
}

/** Checks whether a path is the overview, which includes a draft's form. */
function isOverview(pathname: string, base: string): boolean {
  return [base, `${base}/`, `${base}/edit`].includes(pathname);
}
