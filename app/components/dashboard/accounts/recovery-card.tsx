import { ConfirmForm } from "../../form/confirm-form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Card } from "../../ui/card";
import { Secret } from "../../ui/secret";

/** Shows how many recovery codes are left, and new ones once. */
export function RecoveryCard({
  left,
  codes,
  answer,
}: {
  left: number;
  codes: readonly string[] | null;
  answer: { problems: FormProblems } | object | undefined;
}) {
  return (
    <Card heading="Recovery codes" aside={`${left} left`}>
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <p className="text-ink-muted">
          Use one after your password if you lose your passkeys and your phone. Each works once.
        </p>
        {codes && (
          <Secret
            label="Your recovery codes"
            value={codes.join(" ")}
            warning="Save them now. They are not shown again, and earlier codes no longer work."
          />
        )}
        <ConfirmForm
          intent="codes"
          label="Make new codes"
          heading="Make new recovery codes?"
          text="Your current codes stop working."
          confirmLabel="Make new codes"
          confirmVariant="primary"
          problems={problemsOf(answer, "codes")}
        />
      </div>
    </Card>
  );
}
