import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { NoteField } from "../../form/note-field";
import { type FormProblems, fieldOf } from "../../form/problems";
import { ActionMenu } from "../../ui/menu";

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
        {...fieldOf(problems, "points")}
        inputMode="numeric"
        autoComplete="off"
      />
      <NoteField problems={problems} />
    </Form>
  );
}

/** Holds the actions that change a wallet's place in the point system. */
export function WalletMenu({
  isRegistered,
  isBlacklisted,
  findProblems,
}: {
  isRegistered: boolean;
  isBlacklisted: boolean;
  findProblems: (intent: string) => FormProblems | undefined;
}) {
  const [register, blacklist, pardon] = ["register", "blacklist", "pardon"].map(findProblems);
  return (
    <ActionMenu
      id="wallet-actions"
      label="More actions"
      hasProblems={Boolean(register ?? blacklist ?? pardon)}
    >
      {!isBlacklisted && !isRegistered && <RegisterForm problems={register} />}
      {isBlacklisted ? <PardonForm problems={pardon} /> : <BlacklistForm problems={blacklist} />}
    </ActionMenu>
  );
}

/** Gives the wallet an entry without points. */
function RegisterForm({ problems }: FormProps) {
  return (
    <ConfirmForm
      intent="register"
      isInMenu
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
function BlacklistForm({ problems }: FormProps) {
  return (
    <ConfirmForm
      intent="blacklist"
      isInMenu
      label="Blacklist"
      heading="Blacklist this wallet?"
      text="It stops earning points and leaves the leaderboard. Its points and history are kept."
      confirmLabel="Blacklist the wallet"
      problems={problems}
    >
      <Field
        label="Reason"
        {...fieldOf(problems, "reason")}
        isOptional
        maxLength={500}
        autoComplete="off"
        hint="Only operators see it"
      />
    </ConfirmForm>
  );
}

/** Takes the wallet off the blacklist. */
function PardonForm({ problems }: FormProps) {
  return (
    <ConfirmForm
      intent="pardon"
      isInMenu
      label="Remove from blacklist"
      heading="Remove this wallet from the blacklist?"
      text="It returns to the leaderboard with its points and can earn again."
      confirmLabel="Remove from blacklist"
      confirmVariant="primary"
      problems={problems}
    />
  );
}
