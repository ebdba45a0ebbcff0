import { ConfirmForm } from "../../form/confirm-form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Badge } from "../../ui/badge";
import { Day } from "../../ui/local";
import { Secret } from "../../ui/secret";

interface OperatorEntry {
  id: string;
  name: string;
  email: string;
  isAdministrator: boolean;
  createdAt: Date;
}

/**
 * Lists the operators who can sign in, with the actions of an administrator.
 * @param props.resetLink the new link, which is shown only once
 */
export function OperatorList({
  operators,
  readerId,
  resetLink,
  answer,
}: {
  operators: readonly OperatorEntry[];
  readerId: string;
  resetLink: { operatorId: string; url: string } | null;
  answer: { problems: FormProblems } | object | undefined;
}) {
  return (
    <ul aria-label="Operators" className="divide-y divide-line">
      {operators.map((operator) => (
        <li key={operator.id} className="space-y-3 px-4 py-3 text-sm sm:px-5">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="min-w-0 break-words font-medium">{operator.name}</span>
                {operator.isAdministrator && <Badge tone="accent">Administrator</Badge>}
                {operator.id === readerId && <Badge>You</Badge>}
              </p>
              <p className="mt-0.5 flex flex-wrap gap-x-3 text-ink-muted">
                <span className="min-w-0 break-all">{operator.email}</span>
                <span className="whitespace-nowrap">
                  since <Day date={operator.createdAt} />
                </span>
              </p>
            </div>
            <OperatorActions operator={operator} answer={answer} />
          </div>
          {resetLink?.operatorId === operator.id && (
            <Secret
              label={`Password link for ${operator.name}`}
              value={resetLink.url}
              warning="Copy it now. It is not shown again. It works once and expires after a day. Earlier links no longer work."
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function OperatorActions({
  operator: { id, name, isAdministrator },
  answer,
}: {
  operator: OperatorEntry;
  answer: { problems: FormProblems } | object | undefined;
}) {
  const fields = { operatorId: id };
  return (
    <div className="flex flex-wrap items-start gap-2">
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
      {isAdministrator ? (
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
      )}
    </div>
  );
}
