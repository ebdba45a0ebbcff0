import type { Campaign } from "../../../domain/campaigns/campaign";
import { ConfirmForm } from "../../form/confirm-form";
import { Form } from "../../form/form";
import type { FormProblems } from "../../form/problems";
import { ButtonLink } from "../../ui/button-link";
import { CampaignFiles } from "./files";
import { SplitProgress } from "./split-progress";
import { findCurrentStep } from "./steps";

/** Offers the actions for a campaign at its current step. */
export function CampaignNext({
  campaign,
  base,
  canEdit,
  retryProblems,
  handOutProblems,
}: {
  campaign: Campaign;
  base: string;
  canEdit: boolean;
  retryProblems: FormProblems | undefined;
  handOutProblems: FormProblems | undefined;
}) {
  const { status, chainId, rounds } = campaign;
  const last = rounds.at(-1);
  const step = findCurrentStep(campaign);
  return (
    <div className="space-y-3">
      {last && <SplitProgress round={last} />}
      {last?.status === "failed" && canEdit && (
        <Form
          intent="retry"
          problems={retryProblems}
          submitLabel="Try again"
          submitVariant="quiet"
        />
      )}
      <div className="flex flex-wrap items-center gap-3 empty:hidden">
        {status === "draft" && (
          <>
            <ButtonLink to={`${base}/preview`}>
              {canEdit ? "Preview and publish" : "Preview"}
            </ButtonLink>
            {canEdit && (
              <ButtonLink to={`${base}/edit`} variant="quiet">
                Edit the draft
              </ButtonLink>
            )}
          </>
        )}
        {step === "split" && !last && (
          <ButtonLink to={`${base}/preview`}>
            {canEdit ? "Preview and split" : "Preview"}
          </ButtonLink>
        )}
        {step === "chain" && chainId !== null && (
          <ButtonLink to={`${base}/chain`}>Create on chain</ButtonLink>
        )}
        {step === "chain" && chainId === null && canEdit && (
          <ConfirmForm
            intent="handOut"
            label="Open the payouts"
            variant="primary"
            confirmVariant="primary"
            heading={`Open the payouts of ${campaign.campaignName}?`}
            text="Every wallet then sees its amount. You pay it yourself and mark it as paid here. This service sends no coins. This cannot be undone."
            confirmLabel="Open the payouts"
            problems={handOutProblems}
          />
        )}
        {step === "claims" && chainId === null && (
          <ButtonLink to={`${base}/payouts`}>{canEdit ? "Mark payouts" : "Payouts"}</ButtonLink>
        )}
        {(step === "chain" || step === "claims") && <CampaignFiles base={base} />}
      </div>
    </div>
  );
}
