import { Choice } from "../../form/choice";
import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { type FormProblems, fieldOf, problemsOf } from "../../form/problems";
import { ActionMenu } from "../../ui/menu";

export interface OperatorEntry {
  id: string;
  name: string;
  email: string;
  isAdministrator: boolean;
  createdAt: Date;
  disabledAt: Date | null;
  hasFactors: boolean;
}

type Answer = { problems: FormProblems } | object | undefined;

const INTENTS = [
  "reset",
  "administrator",
  "end",
  "factors",
  "disable",
  "enable",
  "delete",
] as const;

/** Shows the actions of an administrator on an account. */
export function OperatorActions({
  operator,
  isSelf,
  answer,
}: {
  operator: OperatorEntry;
  isSelf: boolean;
  answer: Answer;
}) {
  const { id, name, disabledAt } = operator;
  const fields = { operatorId: id };
  const disableProblems = problemsOf(answer, "disable", fields);
  const menu = {
    id: `operator-${id}`,
    label: `Actions for ${name}`,
    size: "small",
    hasProblems: INTENTS.some((intent) => problemsOf(answer, intent, fields)),
  } as const;
  if (disabledAt) {
    return (
      <ActionMenu {...menu}>
        <ConfirmForm
          intent="enable"
          fields={fields}
          isInMenu
          label="Enable"
          heading={`Enable the account of ${name}?`}
          text="They sign in with the password that they had."
          confirmLabel="Enable the account"
          confirmVariant="primary"
          problems={problemsOf(answer, "enable", fields)}
        />
        <DeletionForm operator={operator} answer={answer} />
      </ActionMenu>
    );
  }
  return (
    <ActionMenu {...menu}>
      <ResetForm operator={operator} answer={answer} />
      <RoleForm operator={operator} answer={answer} />
      {!isSelf && (
        <>
          <ConfirmForm
            intent="end"
            fields={fields}
            isInMenu
            label="End sessions"
            heading={`End all sessions of ${name}?`}
            text="They are signed out everywhere and can sign in again."
            confirmLabel="End sessions"
            problems={problemsOf(answer, "end", fields)}
          />
          {operator.hasFactors && (
            <ConfirmForm
              intent="factors"
              fields={fields}
              isInMenu
              label="Remove second factors"
              heading={`Remove the second factors of ${name}?`}
              text="For operators who lost their devices. Their passkeys, authenticator app and recovery codes stop working, and they are signed out. They sign in with only their password."
              confirmLabel="Remove second factors"
              problems={problemsOf(answer, "factors", fields)}
            />
          )}
          <ConfirmForm
            intent="disable"
            fields={fields}
            isInMenu
            label="Disable"
            heading={`Disable the account of ${name}?`}
            text="They are signed out and cannot sign in. Their invitations and password links stop working. Their point systems stay."
            confirmLabel="Disable the account"
            problems={disableProblems}
          >
            <Choice
              type="checkbox"
              name="deletesApiKeys"
              value="yes"
              isChecked={disableProblems?.values.deletesApiKeys === "yes"}
              label="Delete their API keys"
              hint="Otherwise the applications that use them keep working."
            />
          </ConfirmForm>
          <DeletionForm operator={operator} answer={answer} />
        </>
      )}
    </ActionMenu>
  );
}

function DeletionForm({ operator, answer }: { operator: OperatorEntry; answer: Answer }) {
  const fields = { operatorId: operator.id };
  const problems = problemsOf(answer, "delete", fields);
  return (
    <ConfirmForm
      intent="delete"
      fields={fields}
      isInMenu
      label="Delete"
      heading={`Delete the account of ${operator.name}?`}
      text="Their sessions, links, memberships and API keys end. The audit log keeps their actions."
      confirmLabel="Delete the account"
      problems={problems}
    >
      <Field
        label="New owner of their point systems"
        {...fieldOf(problems, "heir")}
        type="email"
        autoComplete="off"
        hint="An operator's email address. Leave it empty if they own none."
      />
    </ConfirmForm>
  );
}

function ResetForm({
  operator: { id, name },
  answer,
}: {
  operator: OperatorEntry;
  answer: Answer;
}) {
  const fields = { operatorId: id };
  return (
    <ConfirmForm
      intent="reset"
      fields={fields}
      isInMenu
      label="Reset password"
      heading={`Create a password link for ${name}?`}
      text="The link sets a new password, and signs in an operator without a second factor. Send it only to this operator."
      confirmLabel="Create the link"
      confirmVariant="primary"
      problems={problemsOf(answer, "reset", fields)}
    />
  );
}

function RoleForm({
  operator: { id, name, isAdministrator },
  answer,
}: {
  operator: OperatorEntry;
  answer: Answer;
}) {
  const fields = { operatorId: id };
  return isAdministrator ? (
    <ConfirmForm
      intent="administrator"
      fields={{ ...fields, isAdministrator: "no" }}
      isInMenu
      label="Remove admin role"
      heading={`Remove the admin role of ${name}?`}
      text="They keep their account and their point systems. Their invitations to this installation and their password links stop working."
      confirmLabel="Remove"
      problems={problemsOf(answer, "administrator", fields)}
    />
  ) : (
    <ConfirmForm
      intent="administrator"
      fields={{ ...fields, isAdministrator: "yes" }}
      isInMenu
      label="Make administrator"
      heading={`Make ${name} an administrator?`}
      text="Administrators invite operators, create password links, and choose administrators."
      confirmLabel="Make administrator"
      confirmVariant="primary"
      problems={problemsOf(answer, "administrator", fields)}
    />
  );
}
