import { ConfirmForm } from "../../form/confirm-form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Card } from "../../ui/card";

/** Lets an administrator require a second factor of every operator. */
export function FactorRequirement({
  isRequired,
  answer,
}: {
  isRequired: boolean;
  answer: { problems: FormProblems } | object | undefined;
}) {
  return (
    <Card heading="Second factor" aside={isRequired ? "Required" : "Not required"}>
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <p className="text-ink-muted">
          A passkey, or a password with an authenticator app. Operators who set one up are always
          asked for it.
        </p>
        <ConfirmForm
          intent="require"
          fields={{ isRequired: isRequired ? "no" : "yes" }}
          label={isRequired ? "Stop requiring it" : "Require a second factor"}
          heading={isRequired ? "Stop requiring a second factor?" : "Require a second factor?"}
          text={
            isRequired
              ? "Operators without one sign in with only their password."
              : "Operators without one must add one to continue."
          }
          confirmLabel={isRequired ? "Stop requiring it" : "Require a second factor"}
          confirmVariant="primary"
          problems={problemsOf(answer, "require")}
        />
      </div>
    </Card>
  );
}
