import type { ReactNode } from "react";
import { ConfirmForm } from "../../form/confirm-form";
import { Form } from "../../form/form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Card } from "../../ui/card";
import { Ago, Day } from "../../ui/local";
import { Secret } from "../../ui/secret";

interface OpenInvitation {
  id: string;
  role: string | null;
  madeBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/**
 * Makes invitation links, and lists the open ones.
 * @param props.link the new link, which is shown only once
 * @param props.answer the answer of the page's action
 * @param props.children the choices for a new link
 */
export function InvitationCard({
  text,
  invitations,
  link,
  answer,
  readAt,
  children,
}: {
  text: string;
  invitations: readonly OpenInvitation[];
  link: string | null;
  answer: { problems: FormProblems } | object | undefined;
  readAt: number;
  children?: ReactNode;
}) {
  return (
    <Card heading="Invite someone">
      <div className="space-y-5 p-4 sm:p-5">
        <p className="text-sm text-ink-muted">
          {text} A link works once and expires after a week. Send it to one person only.
        </p>
        {link && <Secret label="Invitation link" value={link} />}
        <Form
          intent="invite"
          problems={problemsOf(answer, "invite")}
          submitLabel="Create an invitation link"
        >
          {children}
        </Form>
      </div>
      {invitations.length > 0 && (
        <>
          <h3 className="border-t border-line px-4 pb-1 pt-3 text-sm font-medium sm:px-5">
            Open links
          </h3>
          <ul className="divide-y divide-line">
            {invitations.map((invitation) => (
              <li
                key={invitation.id}
                className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 text-sm sm:px-5"
              >
                <InvitationText invitation={invitation} readAt={readAt} />
                <ConfirmForm
                  intent="revoke"
                  fields={{ invitationId: invitation.id }}
                  size="small"
                  label="Revoke"
                  heading="Revoke this link?"
                  text="The link will stop working."
                  confirmLabel="Revoke the link"
                  problems={problemsOf(answer, "revoke", { invitationId: invitation.id })}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function InvitationText({ invitation, readAt }: { invitation: OpenInvitation; readAt: number }) {
  const { role, madeBy, createdAt, expiresAt } = invitation;
  return (
    <div className="min-w-0">
      <p className="font-medium">{role ? `For ${withArticle(role)}` : "For an operator"}</p>
      <p className="break-words text-ink-muted">
        Created <Ago date={createdAt} now={readAt} />
        {madeBy && ` by ${madeBy}`}, works until <Day date={expiresAt} />
      </p>
    </div>
  );
}

function withArticle(role: string): string {
  return `${/^[aeiou]/.test(role) ? "an" : "a"} ${role}`;
}
