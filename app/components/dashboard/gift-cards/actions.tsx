import type { RewardStatus } from "../../../domain/rewards/reward";
import { ConfirmForm } from "../../form/confirm-form";
import type { FormProblems } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { Count } from "../../ui/local";
import { ActionMenu } from "../../ui/menu";

interface GiftCardActionsProps {
  name: string;
  status: RewardStatus;
  tiers: readonly { inPool: number; assigned: number }[];
  /** The digest of the terms that the page shows, which are those that are published. */
  terms: string;
  findProblems: (intent: string) => FormProblems | undefined;
}

/** Offers the next steps of a gift card reward. */
export function GiftCardActions({
  name,
  status,
  tiers,
  terms,
  findProblems,
}: GiftCardActionsProps) {
  const inPool = tiers.reduce((sum, tier) => sum + tier.inPool, 0);
  const isGiven = tiers.some(({ assigned }) => assigned > 0);
  const distribution = findProblems("distribute");
  const cancelling = findProblems("cancel");
  return (
    <>
      {status === "draft" && (
        <ConfirmForm
          intent="publish"
          label="Publish"
          variant="primary"
          confirmVariant="primary"
          heading={`Publish ${name}?`}
          text="This locks its name and tiers. Nothing is distributed yet, and you can still add codes."
          confirmLabel="Publish"
          fields={{ terms }}
          problems={findProblems("publish")}
        />
      )}
      {(status === "active" || status === "distributed") && (
        <ConfirmForm
          intent="distribute"
          label={status === "active" ? "Distribute" : "Distribute again"}
          variant="primary"
          confirmVariant="primary"
          heading={`Distribute ${name}?`}
          text={
            <>
              Every wallet with enough points gets one card of its tier, unless it already has one.
              Blacklisted wallets get none. <Count value={inPool} />{" "}
              {inPool === 1 ? "code is" : "codes are"} in the pool. A card cannot be taken back.
            </>
          }
          confirmLabel="Distribute"
          problems={distribution}
        >
          <RadioGroup
            label="If there are too few codes"
            name="rule"
            options={RULES}
            defaultValue={distribution?.values.rule || "everyone"}
            problem={distribution?.fields.rule}
          />
        </ConfirmForm>
      )}
      {(status === "draft" || status === "active") && !isGiven && (
        <ActionMenu
          id="gift-card-actions"
          label="More actions"
          hasProblems={cancelling !== undefined}
        >
          <ConfirmForm
            intent="cancel"
            isInMenu
            label="Cancel reward"
            heading={`Cancel ${name}?`}
            text="It can no longer be distributed. Its codes stay in the pool until you remove them."
            confirmLabel="Cancel the reward"
            problems={cancelling}
          />
        </ActionMenu>
      )}
    </>
  );
}

const RULES = [
  {
    value: "everyone",
    label: "Distribute none",
    hint: "You see how many codes are missing in each tier.",
  },
  {
    value: "most-points",
    label: "Distribute to the wallets with the most points",
    hint: "In each tier, until its codes are used up. The other wallets can get one later.",
  },
] as const;
