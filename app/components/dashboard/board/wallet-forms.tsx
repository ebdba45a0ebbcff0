import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { Form } from "../../form/form";
import type { FormProblems } from "../../form/problems";

interface FormProps {
  problems: FormProblems | undefined;
}

/** Credits points by hand. */
export function GrantForm({ problems, token }: FormProps & { token: string }) {
  return (
    <Form
      intent="grant"
      fields={{ token: problems?.values.token ?? token }}
      problems={problems}
      submitLabel="Grant points"
    >
      <Field
        label="Points"
        name="points"
        inputMode="numeric"
        autoComplete="off"
        defaultValue={problems?.values.points}
        problem={problems?.fields.points}
      />
      <Field
        label="Note"
        name="note"
        isOptional
        maxLength={500}
        autoComplete="off"
        hint="Only operators see it"
        defaultValue={problems?.values.note}
        problem={problems?.fields.note}
      />
    </Form>
  );
}

/** Gives the wallet an entry without points. */
export function RegisterForm({ problems }: FormProps) {
  return (
    <ConfirmForm
      intent="register"
      label="Register"
      heading="Register this wallet?"
      text="It appears on the leaderboard with 0 points. Its first points would register it too."
      confirmLabel="Register the wallet"
      confirmVariant="primary"
      problems={problems}
    />
  );
}

/** Puts the wallet on the blacklist. */
export function BlacklistForm({ problems }: FormProps) {
  return (
    <ConfirmForm
      intent="blacklist"
      label="Blacklist"
      heading="Blacklist this wallet?"
      text="It stops earning points and leaves the leaderboard. Its points and history are kept."
      confirmLabel="Blacklist the wallet"
      problems={problems}
    >
      <Field
        label="Reason"
        name="reason"
        isOptional
        maxLength={500}
        autoComplete="off"
        hint="Only operators see it"
        defaultValue={problems?.values.reason}
        problem={problems?.fields.reason}
      />
    </ConfirmForm>
  );
}

/** Takes the wallet off the blacklist. */
export function PardonForm({ problems }: FormProps) {
  return (
    <ConfirmForm
      intent="pardon"
      label="Remove from blacklist"
      heading="Remove this wallet from the blacklist?"
      text="It returns to the leaderboard with its points and can earn again."
      confirmLabel="Remove from blacklist"
      confirmVariant="primary"
      problems={problems}
    />
  );
}
