import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ClaimResult } from "../../../components/dashboard/campaigns/claim-result";
import { CampaignNext } from "../../../components/dashboard/campaigns/next-step";
import { RoundList } from "../../../components/dashboard/campaigns/round-list";
import { CampaignSteps } from "../../../components/dashboard/campaigns/steps";
import { CampaignTermsCard } from "../../../components/dashboard/campaigns/terms";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Field } from "../../../components/form/field";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { usePolling } from "../../../components/hooks/use-polling";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { Day } from "../../../components/ui/local";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { isRoundRunning } from "../../../domain/campaigns/campaign";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { retrySplit, startRound } from "../../../services/campaigns/splits";
import { cancelCampaign, deleteDraft, openPayouts } from "../../../services/campaigns/steps";
import { getClaimProgress } from "../../../services/rewards/claim-progress";
import { usePointSystem } from "../point-systems/layout";
import { CancelInputs, RoundInputs } from "./campaign.inputs.server";
import { requireCampaign } from "./campaign.server";
import { useCampaign } from "./layout";

export const meta = titlePage("Campaign");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, mayRead("rewards/:rewardId"));
  // One that was cancelled later keeps its result.
  const hasResult = campaign.status === "distributed" || campaign.distributedAt !== null;
  return { progress: hasResult ? await getClaimProgress(member, campaign.id) : null };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("rewards/:rewardId"));
  const { rewardId = "" } = args.params;
  const list = `/dashboard/${member.pointSystemId}/rewards`;
  const here = `${list}/${rewardId}`;
  return takeForms(args, {
    delete: form(z.object({}), async () => {
      const { campaignName } = await deleteDraft(member, rewardId);
      return redirectWithNotice(list, `${campaignName} is deleted.`, args.context);
    }),
    cancel: form(CancelInputs, async ({ confirmation }) => {
      const { campaignName } = await cancelCampaign(member, rewardId, confirmation);
      return redirectWithNotice(here, `${campaignName} is cancelled.`, args.context);
    }),
    retry: form(z.object({}), async () => {
      await retrySplit(member, rewardId);
      return redirectWithNotice(here, "The split is starting again.", args.context);
    }),
    handOut: form(z.object({}), async () => {
      const { campaignName } = await openPayouts(member, rewardId);
      return redirectWithNotice(here, `The payouts of ${campaignName} are open.`, args.context);
    }),
    round: form(RoundInputs, async ({ totalAmount }) => {
      await startRound(member, rewardId, totalAmount);
      return redirectWithNotice(here, "The wallets are being added.", args.context);
    }),
  });
});

export default function CampaignOverview() {
  const { campaign, readAt } = useCampaign();
  const { progress } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const canEdit = role !== "viewer";
  const { status, rounds, airdrop, campaignId, campaignName } = campaign;
  const last = rounds.at(-1);
  const isRunning = last !== undefined && isRoundRunning(last);
  usePolling(isRunning && status !== "cancelled");
  const canCancel = status === "active" && airdrop?.onchainId == null;
  const canAddRound =
    status === "distributed" && airdrop?.status === "active" && last !== undefined && !isRunning;
  const base = `/dashboard/${pointSystemId}/rewards/${campaign.id}`;
  const next = (
    <CampaignNext
      campaign={campaign}
      base={base}
      canEdit={canEdit}
      retryProblems={problemsOf(answer, "retry")}
      handOutProblems={problemsOf(answer, "handOut")}
    />
  );
  return (
    <div className="space-y-6">
      {status === "cancelled" && (
        <Card
          heading="Cancelled"
          aside={
            campaign.cancelledAt && (
              <>
                Since <Day date={campaign.cancelledAt} />
              </>
            )
          }
        >
          <p className="p-4 text-sm sm:p-5">
            Wallets get nothing, and your applications no longer see this campaign.
          </p>
        </Card>
      )}
      {progress && (
        <ClaimResult progress={progress} campaign={campaign} base={base} now={readAt}>
          {next}
        </ClaimResult>
      )}
      {!progress && status !== "cancelled" && (
        <Card heading="What happens next">
          <CampaignSteps campaign={campaign}>{next}</CampaignSteps>
        </Card>
      )}
      <Card heading="Terms">
        <CampaignTermsCard terms={campaign} now={readAt} />
      </Card>
      {rounds.length > 0 && (
        <Card heading="Splits">
          <RoundList rounds={rounds} token={campaign} now={readAt} />
        </Card>
      )}
      {canEdit && canAddRound && (
        <Card heading="Add wallets">
          <div className="max-w-lg space-y-4 p-4 sm:p-5">
            <p className="text-sm text-ink-muted">
              Split a further amount among wallets that became eligible since and have no share yet.
              Then fund it on chain.
            </p>
            <Form
              intent="round"
              problems={problemsOf(answer, "round")}
              submitLabel="Split among new wallets"
            >
              <Field
                label={`Further amount in ${campaign.tokenSymbol}`}
                name="totalAmount"
                autoComplete="off"
                inputMode="decimal"
                defaultValue={problemsOf(answer, "round")?.values.totalAmount}
                problem={problemsOf(answer, "round")?.fields.totalAmount}
              />
            </Form>
          </div>
        </Card>
      )}
      {canEdit && (status === "draft" || canCancel) && (
        <div className="flex flex-wrap gap-3">
          {status === "draft" && (
            <ConfirmForm
              intent="delete"
              label="Delete the draft"
              heading={`Delete ${campaignName}?`}
              text="The draft is deleted for good. Your applications never saw it."
              confirmLabel="Delete the draft"
              problems={problemsOf(answer, "delete")}
            />
          )}
          {canCancel && (
            <ConfirmForm
              intent="cancel"
              label="Cancel the campaign"
              heading={`Cancel ${campaignName}?`}
              text="Wallets get nothing, and your applications no longer see it. This cannot be undone."
              confirmLabel="Cancel the campaign"
              requireText={campaignId}
              problems={problemsOf(answer, "cancel")}
            />
          )}
        </div>
      )}
    </div>
  );
}
