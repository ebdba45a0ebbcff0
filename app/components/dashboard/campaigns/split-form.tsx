import { ConfirmForm } from "../../form/confirm-form";
import { type FormProblems, fieldOf } from "../../form/problems";
import { SelectField } from "../../form/select-field";
import { Count } from "../../ui/local";
import type { BucketCost } from "./bucket-costs";

/**
 * Asks for confirmation before a campaign is split, and for the size of its merkle trees.
 * @param props.costs empty when there is no chain, and so no choice
 */
export function SplitForm({
  campaignName,
  wallets,
  costs,
  problems,
}: {
  campaignName: string;
  wallets: number;
  costs: readonly BucketCost[];
  problems: FormProblems | undefined;
}) {
  const suggested = costs.find(({ isDefault }) => isDefault);
  const choice = { value: "", label: `As suggested (${suggested?.bucketSize ?? ""})` };
  return (
    <ConfirmForm
      intent="split"
      label="Split among wallets"
      variant="primary"
      confirmVariant="primary"
      heading={`Split ${campaignName}?`}
      text={
        <>
          Amounts come from the points at this moment: <Count value={wallets} />{" "}
          {wallets === 1 ? "wallet" : "wallets"} as of now. Points earned later do not count.
        </>
      }
      confirmLabel="Split now"
      {...(costs.length === 0 && { fields: NO_CHOICE })}
      problems={problems}
    >
      {costs.length > 0 && (
        <SelectField
          label="Wallets per tree"
          {...fieldOf(problems, "bucketSize", "")}
          options={[
            choice,
            ...costs.map(({ bucketSize, buckets }) => ({
              value: String(bucketSize),
              label: `${bucketSize}, in ${buckets} ${buckets === 1 ? "tree" : "trees"}`,
            })),
          ]}
          hint="The cost table shows the gas for each size."
        />
      )}
    </ConfirmForm>
  );
}

const NO_CHOICE = { bucketSize: "" };
