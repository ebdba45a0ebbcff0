import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { InvitationCard } from "../../../components/dashboard/accounts/invitation-card";
import { MemberList } from "../../../components/dashboard/accounts/member-list";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { problemsOf } from "../../../components/form/problems";
import { RadioGroup } from "../../../components/form/radio-group";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { getAccountLink } from "../../../domain/access/account-link";
import { mayLeave, mayRead, mayWrite } from "../../../domain/access/pages";
import { MEMBER_ROLES } from "../../../domain/access/role";
import { confirmedForm } from "../../../http/confirmed-form";
import { form, peekIntent, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { findRole } from "../../../services/access/members";
import {
  createInvitation,
  listInvitations,
  revokeInvitation,
} from "../../../services/accounts/account-links";
import {
  changeMemberRole,
  leavePointSystem,
  listMembers,
  removeMember,
  transferOwnership,
} from "../../../services/accounts/memberships";
import { usePointSystem } from "../point-systems/layout";

export const meta = titlePage("Members");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("members"));
  const owner = findRole(member, "owner");
  return {
    members: await listMembers(member),
    invitations: owner && (await listInvitations(owner)),
    readerId: member.actor.operatorId,
    readAt: Date.now(),
  };
});

const Choice = z.object({ operatorId: z.string() });
const RoleInput = z.enum(MEMBER_ROLES, "Choose a role");

export const action = page(async (args: ActionFunctionArgs) => {
  return (await peekIntent(args.request)) === "leave" ? leave(args) : manage(args);
});

async function leave(args: ActionFunctionArgs) {
  const member = await requireMember(args, mayLeave());
  return takeForms(args, {
    leave: form(z.object({}), async () => {
      await leavePointSystem(member);
      return redirectWithNotice("/dashboard", "You left the point system.", args.context);
    }),
  });
}

async function manage(args: ActionFunctionArgs) {
  const owner = await requireMember(args, mayWrite("members"));
  const answer = (text: string) =>
    redirectWithNotice(`/dashboard/${owner.pointSystemId}/members`, text, args.context);
  return takeForms(args, {
    invite: confirmedForm(args, owner.actor, z.object({ role: RoleInput }), async ({ role }) => {
      const token = await createInvitation(owner, role);
      return { link: getAccountLink("invitation", token, args.context.appOrigin) };
    }),
    revoke: form(z.object({ invitationId: z.string() }), async ({ invitationId }) => {
      await revokeInvitation(owner, invitationId);
      return answer("The link is revoked.");
    }),
    role: confirmedForm(
      args,
      owner.actor,
      Choice.extend({ role: RoleInput }),
      async ({ operatorId, role }) => {
        const { name } = await changeMemberRole(owner, operatorId, role);
        return answer(`${name} is now ${role === "editor" ? "an editor" : "a viewer"}.`);
      },
    ),
    remove: form(Choice.extend({ keepsKeys: z.string() }), async ({ operatorId, keepsKeys }) => {
      const { name, apiKeysTakenOver } = await removeMember(owner, operatorId, keepsKeys === "yes");
      if (apiKeysTakenOver === 0) return answer(`${name} is removed.`);
      return answer(
        apiKeysTakenOver === 1
          ? `${name} is removed. 1 API key is yours now. ${name} knows it: replace it soon.`
          : `${name} is removed. ${apiKeysTakenOver} API keys are yours now. ${name} knows them: replace them soon.`,
      );
    }),
    transfer: confirmedForm(
      args,
      owner.actor,
      Choice.extend({ confirmation: z.string().max(200) }),
      async ({ operatorId, confirmation }) => {
        const { name } = await transferOwnership(owner, operatorId, confirmation);
        return answer(`${name} is now the owner.`);
      },
    ),
  });
}

export default function Members() {
  const { members, invitations, readerId, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const pointSystem = usePointSystem();
  const isOwner = pointSystem.role === "owner";
  const inviteProblems = problemsOf(answer, "invite");
  return (
    <>
      <PageHeader
        title="Members"
        description={`The people who work on ${pointSystem.name}.`}
        actions={
          !isOwner && (
            <ConfirmForm
              intent="leave"
              label="Leave"
              heading={`Leave ${pointSystem.name}?`}
              text="You and your API keys lose access to it. If applications use your keys, let the owner remove you: owners can keep them."
              confirmLabel="Leave the point system"
              problems={problemsOf(answer, "leave")}
            />
          )
        }
      />
      <div className="mt-6 grid max-w-3xl gap-6">
        <Card heading="Members">
          <MemberList
            members={members}
            readerId={readerId}
            isOwner={isOwner}
            pointSystemName={pointSystem.name}
            answer={answer}
            readAt={readAt}
          />
        </Card>
        {invitations && (
          <InvitationCard
            text="The recipient creates an account, or joins with an existing one."
            invitations={invitations}
            link={answer && "link" in answer ? answer.link : null}
            answer={answer}
            readAt={readAt}
          >
            <RadioGroup
              label="Role"
              name="role"
              defaultValue={inviteProblems?.values.role ?? "viewer"}
              problem={inviteProblems?.fields.role}
              options={[
                {
                  value: "viewer",
                  label: "Viewer",
                  hint: "Can see everything and change nothing.",
                },
                {
                  value: "editor",
                  label: "Editor",
                  hint: "Can change triggers, points, imports, rewards and the blacklist, and create API keys.",
                },
              ]}
            />
          </InvitationCard>
        )}
      </div>
    </>
  );
}
