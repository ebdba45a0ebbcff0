import type { ReactNode } from "react";
import { type Campaign, isSplit } from "../../../domain/campaigns/campaign";
import { Day } from "../../ui/local";

type StepName = "draft" | "publish" | "split" | "chain" | "claims";
export type CampaignProgress = Pick<
  Campaign,
  | "status"
  | "chainId"
  | "rounds"
  | "airdrop"
  | "createdAt"
  | "publishedAt"
  | "distributedAt"
  | "claimDeadline"
>;

const ORDER: readonly StepName[] = ["draft", "publish", "split", "chain", "claims"];

/** Finds the current step of a campaign. */
export function findCurrentStep(campaign: CampaignProgress): StepName {
  if (campaign.status === "draft") return "publish";
  if (campaign.status === "distributed") return "claims";
  return isSplit(campaign) ? "chain" : "split";
}

/**
 * Shows a campaign's steps from its draft to claims.
 * @param props.children the actions at the current step
 */
export function CampaignSteps({
  campaign,
  children,
}: {
  campaign: CampaignProgress;
  children?: ReactNode;
}) {
  const current = ORDER.indexOf(findCurrentStep(campaign));
  return (
    <ol className="divide-y divide-line">
      {ORDER.map((name, index) => {
        const { label, text } = describeStep(name, campaign);
        const isDone = index < current;
        const isCurrent = index === current;
        return (
          <li
            key={name}
            aria-current={isCurrent ? "step" : undefined}
            className="flex gap-3 px-4 py-3 text-sm sm:px-5"
          >
            <span
              aria-hidden="true"
              className={`mt-px flex size-5 shrink-0 items-center justify-center rounded-full border text-xs ${
                isDone
                  ? "border-success/40 bg-success/10 text-success"
                  : isCurrent
                    ? "border-fill bg-fill text-on-fill"
                    : "border-line text-ink-muted"
              }`}
            >
              {isDone ? "✓" : index + 1}
            </span>
            <div className="min-w-0 flex-1">
              <p className={isCurrent ? "font-medium" : isDone ? "" : "text-ink-muted"}>
                {label}
                {isDone && <span className="sr-only"> (done)</span>}
              </p>
              <div className="text-ink-muted">{text}</div>
              {isCurrent && children && <div className="mt-3">{children}</div>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function describeStep(name: StepName, campaign: CampaignProgress) {
  const { chainId, createdAt, publishedAt, distributedAt, claimDeadline } = campaign;
  switch (name) {
    case "draft":
      return {
        label: "Draft",
        text: (
          <>
            Drafted <Day date={createdAt} />.
          </>
        ),
      };
    case "publish":
      return {
        label: "Publish",
        text: publishedAt ? (
          <>
            Published <Day date={publishedAt} />. Its terms are locked.
          </>
        ) : (
          "Locks the terms and shows the campaign to your applications."
        ),
      };
    case "split":
      return {
        label: "Split among wallets",
        text: "Reads all points at one moment and gives every eligible wallet its share.",
      };
    case "chain":
      return chainId === null
        ? {
            label: "Open the payouts",
            text: "You send this coin yourself. The allocation lists every wallet's amount.",
          }
        : {
            label: "Create on chain",
            text: "Your wallet pays the tokens into the campaign contract.",
          };
    case "claims":
      if (chainId === null) {
        return {
          label: "Payouts",
          text: (
            <>
              {distributedAt && (
                <>
                  Open since <Day date={distributedAt} />.{" "}
                </>
              )}
              Your applications show each wallet its amount. Mark wallets once you paid them.
            </>
          ),
        };
      }
      return {
        label: "Claims",
        text: (
          <>
            {distributedAt && (
              <>
                Open since <Day date={distributedAt} />.{" "}
              </>
            )}
            {claimDeadline ? (
              <>
                Holders claim until <Day date={claimDeadline} />.
              </>
            ) : (
              "Holders claim, without a deadline."
            )}
          </>
        ),
      };
  }
}
