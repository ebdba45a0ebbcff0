import { Choice } from "../../form/choice";
import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { type FormProblems, problemsOf } from "../../form/problems";

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
  if (disabledAt) {
    return (
      <div className="flex flex-wrap items-start gap-2">
        <ConfirmForm
          intent="enable"
          fields={fields}
          size="small"
          label="Enable"
          heading={`Enable the account of ${name}?`}
          text="They sign in with their former password."
          confirmLabel="Enable the account"
          confirmVariant="primary"
          problems={problemsOf(answer, "enable", fields)}
        />
        <DeletionForm operator={operator} answer={answer} />
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-start gap-2">
      <ResetForm operator={operator} answer={answer} />
      <RoleForm operator={operator} answer={answer} />
      {!isSelf && (
        <>
          <ConfirmForm
            intent="end"
            fields={fields}
            size="small"
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
              size="small"
              label="Remove second factors"
              heading={`Remove the second factors of ${name}?`}
              text="Use this when they lost their devices. Their passkeys, authenticator app and recovery codes stop working, and they are signed out. They sign in with only their password."
              confirmLabel="Remove second factors"
              problems={problemsOf(answer, "factors", fields)}
            />
          )}
          <ConfirmForm
            intent="disable"
            fields={fields}
            size="small"
            label="Disable"
            heading={`Disable the account of ${name}?`}
            text="They are signed out and cannot sign in. Their invitations and password links stop working. Their point systems stay."
            confirmLabel="Disable the account"
            problems={problemsOf(answer, "disable", fields)}
          >
            <Choice
              type="checkbox"
              name="deletesApiKeys"
              value="yes"
              label="Delete their API keys"
              hint="Otherwise the applications that use them keep working."
            />
          </ConfirmForm>
          <DeletionForm operator={operator} answer={answer} />
        </>
      )}
    </div>
  );
}

function DeletionForm({ operator, answer }: { operator: OperatorEntry; answer: Answer }) {
  const fields = { operatorId: operator.id };
  const problems = problemsOf(answer, "delete", fields);
  return (
    <ConfirmForm
      intent="delete"
      fields={fields}
      size="small"
      label="Delete"
      heading={`Delete the account of ${operator.name}?`}
      text="Their sessions, links, memberships and API keys end. The audit log keeps their actions."
      confirmLabel="Delete the account"
      problems={problems}
    >
      <Field
        label="New owner of their point systems"
        name="heir"
        type="email"
        autoComplete="off"
        hint="An operator's email address. Leave it empty if they own none."
        defaultValue={problems?.values.heir}
        problem={problems?.fields.heir}
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
      size="small"
      label="Reset password"
      heading={`Create a password link for ${name}?`}
      text="The link sets a new password and signs in. Send it only to this operator."
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
      size="small"
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
      size="small"
      label="Make administrator"
      heading={`Make ${name} an administrator?`}
      text="Administrators invite operators, create password links, and choose administrators."
      confirmLabel="Make administrator"
      confirmVariant="primary"
      problems={problemsOf(answer, "administrator", fields)}
    />
  );
}
