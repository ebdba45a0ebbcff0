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
      isWide={false}
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

/** Puts the wallet on the blacklist. */
export function BlacklistForm({ problems }: FormProps) {
  return (
    <ConfirmForm
      intent="blacklist"
      label="Blacklist"
      heading="Blacklist this wallet?"
      text="It earns no more points and leaves the board. Its points and history stay."
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
      text="It returns to the board with its points and can earn again."
      confirmLabel="Remove wallet"
      confirmVariant="primary"
      problems={problems}
    />
  );
}
