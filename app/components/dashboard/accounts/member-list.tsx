import { Choice } from "../../form/choice";
import { ConfirmForm } from "../../form/confirm-form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Badge } from "../../ui/badge";
import { Ago } from "../../ui/local";
import { ActionMenu } from "../../ui/menu";

interface MemberEntry {
  operatorId: string;
  name: string;
  email: string | null;
  role: "owner" | "editor" | "viewer";
  since: Date;
}

const ROLE_LABELS = { owner: "Owner", editor: "Editor", viewer: "Viewer" } as const;

/**
 * Lists the members of a point system, with the actions of its owner.
 * @param props.readerId the operator who reads the page
 */
export function MemberList({
  members,
  readerId,
  isOwner,
  pointSystemName,
  answer,
  readAt,
}: {
  members: readonly MemberEntry[];
  readerId: string;
  isOwner: boolean;
  pointSystemName: string;
  answer: { problems: FormProblems } | object | undefined;
  readAt: number;
}) {
  return (
    <ul aria-label="Members" className="divide-y divide-line">
      {members.map((member) => (
        <li
          key={member.operatorId}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 px-4 py-3 text-sm sm:px-5"
        >
          <div className="min-w-0">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="min-w-0 break-words font-medium">{member.name}</span>
              <Badge tone={member.role === "owner" ? "accent" : "neutral"}>
                {ROLE_LABELS[member.role]}
              </Badge>
              {member.operatorId === readerId && <Badge>You</Badge>}
            </p>
            <p className="mt-0.5 flex flex-wrap gap-x-3 text-ink-muted">
              {member.email && <span className="min-w-0 break-all">{member.email}</span>}
              <span>
                since <Ago date={member.since} now={readAt} />
              </span>
            </p>
          </div>
          {isOwner && member.role !== "owner" && (
            <MemberActions
              member={member}
              role={member.role}
              pointSystemName={pointSystemName}
              answer={answer}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function MemberActions({
  member: { operatorId, name },
  role,
  pointSystemName,
  answer,
}: {
  member: MemberEntry;
  role: "editor" | "viewer";
  pointSystemName: string;
  answer: { problems: FormProblems } | object | undefined;
}) {
  const fields = { operatorId };
  return (
    <ActionMenu
      id={`member-${operatorId}`}
      label={`Actions for ${name}`}
      size="small"
      hasProblems={["role", "transfer", "remove"].some((intent) =>
        problemsOf(answer, intent, fields),
      )}
    >
      {role === "viewer" ? (
        <ConfirmForm
          intent="role"
          fields={{ ...fields, role: "editor" }}
          isInMenu
          label="Make editor"
          heading={`Make ${name} an editor?`}
          text="Editors can change triggers, grant, void and import points, and create API keys."
          confirmLabel="Make editor"
          confirmVariant="primary"
          problems={problemsOf(answer, "role", fields)}
        />
      ) : (
        <ConfirmForm
          intent="role"
          fields={{ ...fields, role: "viewer" }}
          isInMenu
          label="Make viewer"
          heading={`Make ${name} a viewer?`}
          text="Viewers cannot change anything. Their API keys lose access to this point system."
          confirmLabel="Make viewer"
          problems={problemsOf(answer, "role", fields)}
        />
      )}
      <ConfirmForm
        intent="transfer"
        fields={fields}
        isInMenu
        label="Make owner"
        heading={`Make ${name} the owner?`}
        text="You become an editor. Only the new owner can change that."
        confirmLabel="Transfer ownership"
        requireText={pointSystemName}
        problems={problemsOf(answer, "transfer", fields)}
      />
      <ConfirmForm
        intent="remove"
        fields={fields}
        isInMenu
        label="Remove"
        heading={`Remove ${name}?`}
        text="They lose access to this point system, and so do their API keys unless you keep them. Their past changes stay."
        confirmLabel="Remove the member"
        problems={problemsOf(answer, "remove", fields)}
      >
        <Choice
          type="checkbox"
          name="keepsKeys"
          value="yes"
          label="Keep their API keys"
          hint="Only keys that reach no point system of another owner can be kept. They become yours."
        />
      </ConfirmForm>
    </ActionMenu>
  );
}
