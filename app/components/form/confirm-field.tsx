import { Field } from "./field";
import { PasskeyButton } from "./passkey-button";
import { CONFIRM_FIELD, type FormProblems } from "./problems";

/** Takes the operator's password again, when the answer to a form asked for it. */
export function ConfirmField({ problems }: { problems: FormProblems | undefined }) {
  const problem = problems?.fields[CONFIRM_FIELD];
  if (problem === undefined) return null;
  return (
    <div className="basis-full">
      <Field
        label="Your password"
        name={CONFIRM_FIELD}
        type="password"
        autoComplete="current-password"
        problem={problem}
      />
      <div className="mt-3">
        <PasskeyButton
          path="/dashboard/confirm"
          label="Use a passkey instead"
          onGiven={(button) => button.form?.requestSubmit()}
        />
      </div>
    </div>
  );
}
