import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { InvitationCard } from "../../../components/dashboard/accounts/invitation-card";
import { OperatorList } from "../../../components/dashboard/accounts/operator-list";
import { PageHeader } from "../../../components/page/page-header";
import { Card } from "../../../components/ui/card";
import { CursorPager } from "../../../components/ui/pager";
import { getAccountLink } from "../../../domain/access/account-link";
import { parseUuid } from "../../../domain/uuid";
import { form, takeForms } from "../../../http/form";
import { requireAdministrator } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listOperators, setAdministrator } from "../../../services/access/administrators";
import {
  createInvitation,
  listInvitations,
  revokeInvitation,
} from "../../../services/accounts/account-links";
import { createResetLink } from "../../../services/accounts/password-reset";

export const meta: MetaFunction = () => [{ title: "Operators · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const administrator = await requireAdministrator(args);
  const afterId = parseUuid(new URL(args.request.url).searchParams.get("after") ?? "");
  return {
    ...(await listOperators(administrator, afterId)),
    invitations: await listInvitations(administrator),
    readerId: administrator.actor.operatorId,
    isFirstPage: afterId === null,
    readAt: Date.now(),
  };
});

const Choice = z.object({ operatorId: z.string() });

export const action = page(async (args: ActionFunctionArgs) => {
  const administrator = await requireAdministrator(args);
  const { appOrigin } = args.context;
  const answer = (text: string) => redirectWithNotice("/dashboard/operators", text, args.context);
  return takeForms(args, {
    invite: form(z.object({}), async () => {
      const token = await createInvitation(administrator, null);
      return { link: getAccountLink("invitation", token, appOrigin) };
    }),
    revoke: form(z.object({ invitationId: z.string() }), async ({ invitationId }) => {
      await revokeInvitation(administrator, invitationId);
      return answer("The link is revoked.");
    }),
    reset: form(Choice, async ({ operatorId }) => {
      const { token } = await createResetLink(administrator, operatorId);
      const url = getAccountLink("password_reset", token, appOrigin);
      return { resetLink: { operatorId, url } };
    }),
    administrator: form(
      Choice.extend({ isAdministrator: z.enum(["yes", "no"]) }),
      async ({ operatorId, isAdministrator }) => {
        const { name } = await setAdministrator(
          administrator,
          operatorId,
          isAdministrator === "yes",
        );
        const text =
          isAdministrator === "yes" ? "now an administrator" : "no longer an administrator";
        // Administrators who dismissed themselves can no longer open this page.
        const isSelf = operatorId === administrator.actor.operatorId;
        if (isSelf && isAdministrator === "no") {
          return redirectWithNotice("/dashboard", `You are ${text}.`, args.context);
        }
        return answer(`${name} is ${text}.`);
      },
    ),
  });
});

export default function Operators() {
  const { operators, hasMore, invitations, readerId, isFirstPage, readAt } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const last = operators.at(-1);
  return (
    <>
      <PageHeader title="Operators" description="The people who can sign in." />
      <div className="mt-6 grid max-w-3xl gap-6">
        <div>
          <Card heading="Operators">
            <OperatorList
              operators={operators}
              readerId={readerId}
              resetLink={answer && "resetLink" in answer ? answer.resetLink : null}
              answer={answer}
            />
          </Card>
          <CursorPager
            label="Pages of operators"
            newerHref={isFirstPage ? null : "?"}
            newerLabel="First"
            olderHref={hasMore && last ? `?after=${last.id}` : null}
            olderLabel="Next"
          />
        </div>
        <InvitationCard
          text="The recipient creates an account and can create point systems."
          invitations={invitations}
          link={answer && "link" in answer ? answer.link : null}
          answer={answer}
          readAt={readAt}
        />
      </div>
    </>
  );
}
