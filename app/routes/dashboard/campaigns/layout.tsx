import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLocation, useRouteLoaderData } from "@remix-run/react";
import { RewardBadge } from "../../../components/dashboard/rewards/badge";
import { PageHeader } from "../../../components/page/page-header";
import { Tabs } from "../../../components/ui/tabs";
import { TokenAmount } from "../../../components/ui/token-amount";
import { isRewardChainId, REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { page } from "../../../http/page";
import { usePointSystem } from "../point-systems/layout";
import { requireCampaign } from "./campaign.server";

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { campaign } = await requireCampaign(args, "viewer");
  return { campaign, readAt: Date.now() };
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
  { path: "/chain", label: "On chain" },
] as const;

export default function CampaignLayout() {
  const { campaign } = useCampaign();
  const { id: pointSystemId } = usePointSystem();
  const { pathname } = useLocation();
  const base = `/dashboard/${pointSystemId}/rewards/${campaign.id}`;
  const { chainId, campaignId, campaignName, status } = campaign;
  const tabs = TABS.filter(({ path }) => path !== "/chain" || chainId !== null);
  return (
    <>
      <PageHeader
        title={campaignName}
        breadcrumb={[{ label: "Rewards", to: `/dashboard/${pointSystemId}/rewards` }]}
        description={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <RewardBadge status={status} />
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
