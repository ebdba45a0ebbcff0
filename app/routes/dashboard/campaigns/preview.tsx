import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { BucketCosts } from "../../../components/dashboard/campaigns/bucket-costs";
import { SplitForm } from "../../../components/dashboard/campaigns/split-form";
import { SplitPreview } from "../../../components/dashboard/campaigns/split-preview";
import { WalletStandingNote } from "../../../components/dashboard/campaigns/wallet-standing-note";
import { describePreviewedPoints } from "../../../components/dashboard/rewards/points-counted";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { problemsOf } from "../../../components/form/problems";
import { SearchForm } from "../../../components/form/search-form";
import { titlePage } from "../../../components/page/page-title";
import { ButtonLink } from "../../../components/ui/button-link";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { lookFor } from "../../../http/search";
import { digestTerms } from "../../../services/campaigns/campaigns";
import { listBucketCosts, previewSplit } from "../../../services/campaigns/preview";
import { startSplit } from "../../../services/campaigns/splits";
import { publish } from "../../../services/campaigns/steps";
import { getEligibility } from "../../../services/campaigns/wallets";
import { resolveWallet } from "../../../services/search/wallet-search";
import { usePointSystem } from "../point-systems/layout";
import { PublishInputs, SplitInputs } from "./campaign.inputs.server";
import { requireCampaign } from "./campaign.server";
import { useCampaign } from "./layout";

export const meta = titlePage("Preview");

const SearchQuery = z.object({ search: z.string().trim().max(300).catch("") });

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, mayRead("rewards/:rewardId/preview"));
  const isOpen = campaign.status === "draft" || campaign.status === "active";
  // A split that is under way or done shows more than an estimate.
  if (!isOpen || campaign.rounds.some(({ status }) => status !== "failed")) {
    return { preview: null, costs: [], terms: "", search: null };
  }
  const query = Object.fromEntries(new URL(args.request.url).searchParams);
  const { search } = SearchQuery.parse(query);
  const [preview, found] = await Promise.all([
    previewSplit(member, campaign),
    search === ""
      ? null
      : lookFor(args, search, async (text) => {
          const { address } = await resolveWallet(member, text);
          return { address, standing: await getEligibility(member, campaign, address) };
        }),
  ]);
  return {
    preview,
    costs: campaign.chainId === null ? [] : listBucketCosts(preview.wallets),
    terms: digestTerms(campaign),
    search: found,
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("rewards/:rewardId/preview"));
  const { rewardId = "" } = args.params;
  const here = `/dashboard/${member.pointSystemId}/rewards/${rewardId}`;
  return takeForms(args, {
    publish: form(PublishInputs, async ({ terms }) => {
      const { campaignName } = await publish(member, rewardId, terms);
      return redirectWithNotice(here, `${campaignName} is published.`, args.context);
    }),
    split: form(SplitInputs, async ({ bucketSize }) => {
      await startSplit(member, rewardId, bucketSize);
      return redirectWithNotice(here, "The split has started.", args.context);
    }),
  });
});

/** Revalidates after a refusal as well: the page then shows the terms that it was refused for. */
export const shouldRevalidate = () => true;

export default function CampaignPreview() {
  const { preview, costs, terms, search } = useLoaderData<typeof loader>();
  const { campaign } = useCampaign();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const base = `/dashboard/${pointSystemId}/rewards/${campaign.id}`;
  const { status, campaignName } = campaign;
  if (!preview) {
    return (
      <Card heading="Preview">
        <EmptyState heading="There is nothing left to preview">
          {status === "cancelled"
            ? "The campaign is cancelled."
            : "The split is done or running. The amounts are under Wallets."}
        </EmptyState>
      </Card>
    );
  }
  return (
    <div className="space-y-6">
      {role !== "viewer" && (
        <div className="flex flex-wrap items-center gap-3">
          {status === "draft" ? (
            <>
              <ConfirmForm
                intent="publish"
                label="Publish the campaign"
                variant="primary"
                confirmVariant="primary"
                heading={`Publish ${campaignName}?`}
                text="This locks its terms and shows it to your applications. Nothing is split or paid yet."
                confirmLabel="Publish the campaign"
                fields={{ terms }}
                problems={problemsOf(answer, "publish")}
              />
              <ButtonLink to={`${base}/edit`} variant="quiet">
                Edit the draft
              </ButtonLink>
            </>
          ) : (
            <SplitForm
              campaignName={campaignName}
              wallets={preview.wallets}
              costs={costs}
              problems={problemsOf(answer, "split")}
            />
          )}
        </div>
      )}
      <SplitPreview
        preview={preview}
        token={campaign}
        minPoints={campaign.minPoints}
        pointsNote={describePreviewedPoints(campaign)}
        walletHref={`${base}/wallets`}
      />
      <Card heading="One wallet">
        <div className="space-y-3 p-4 sm:p-5">
          <SearchForm
            purpose="Shows its share, or why it has none."
            defaultValue={search?.text ?? ""}
            problem={search?.problem ?? undefined}
          />
          {search?.found && (
            <WalletStandingNote
              address={search.found.address}
              standing={search.found.standing}
              campaign={campaign}
              totalWeight={preview.totalWeight}
            />
          )}
        </div>
      </Card>
      {costs.length > 0 && (
        <Card heading="Costs on chain">
          <BucketCosts costs={costs} />
        </Card>
      )}
    </div>
  );
}
