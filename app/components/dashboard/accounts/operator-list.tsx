import type { FormProblems } from "../../form/problems";
import { Badge } from "../../ui/badge";
import { Day } from "../../ui/local";
import { Secret } from "../../ui/secret";
import { OperatorActions, type OperatorEntry } from "./operator-actions";

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
                {operator.disabledAt && <Badge tone="danger">Disabled</Badge>}
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
            <OperatorActions
              operator={operator}
              isSelf={operator.id === readerId}
              answer={answer}
            />
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
