import { data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { CampaignFiles } from "../../../components/dashboard/campaigns/files";
import { CampaignWalletTable } from "../../../components/dashboard/campaigns/wallet-table";
import { SearchForm } from "../../../components/form/search-form";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead } from "../../../domain/access/pages";
import { parseAddress } from "../../../domain/address";
import { page } from "../../../http/page";
import { lookFor } from "../../../http/search";
import { listCampaignWallets } from "../../../services/campaigns/wallets";
import { resolveWallet } from "../../../services/search/wallet-search";
import { usePointSystem } from "../point-systems/layout";
import { requireCampaign } from "./campaign.server";
import { useCampaign } from "./layout";

export const meta = titlePage("Wallets");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, mayRead("rewards/:rewardId/wallets"));
  const query = new URL(args.request.url).searchParams;
  const text = (query.get("search") ?? "").trim().slice(0, 300);
  const search =
    text === "" ? null : await lookFor(args, text, (typed) => resolveWallet(member, typed));
  if (search?.found) {
    const base = `/dashboard/${member.pointSystemId}/rewards/${campaign.id}/wallets`;
    throw redirect(`${base}/${search.found.address}`);
  }
  const after = parseAddress(query.get("after") ?? "");
  const list = await listCampaignWallets(member, campaign, after);
  return data({ ...list, after, search }, { status: search?.status ?? 200 });
});

export default function CampaignWallets() {
  const { wallets, hasMore, after, search } = useLoaderData<typeof loader>();
  const { campaign } = useCampaign();
  const { id: pointSystemId } = usePointSystem();
  const base = `/dashboard/${pointSystemId}/rewards/${campaign.id}`;
  const last = wallets.at(-1);
  return (
    <>
      <SearchForm
        purpose="Shows how a share is computed."
        defaultValue={search?.text ?? ""}
        problem={search?.problem ?? undefined}
      />
      <div className="mt-6">
        <Card
          heading="Wallets"
          aside={
            wallets.length > 0 && (
              <span className="flex flex-wrap gap-x-4">
                <CampaignFiles base={base} />
              </span>
            )
          }
        >
          <CampaignWalletTable
            wallets={wallets}
            token={campaign}
            base={`${base}/wallets`}
            isSplit={campaign.rounds.length > 0}
          />
        </Card>
      </div>
      <CursorPager
        label="Pages of wallets"
        newerHref={after === null ? null : "?"}
        newerLabel="First"
        olderHref={hasMore && last ? `?after=${last.address}` : null}
        olderLabel="Next"
      />
    </>
  );
}
