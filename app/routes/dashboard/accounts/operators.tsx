import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { FactorRequirement } from "../../../components/dashboard/accounts/factor-requirement";
import { InvitationCard } from "../../../components/dashboard/accounts/invitation-card";
import { OperatorList } from "../../../components/dashboard/accounts/operator-list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { CursorPager } from "../../../components/ui/pager";
import { getAccountLink } from "../../../domain/access/account-link";
import { parseUuid } from "../../../domain/uuid";
import { confirmedForm } from "../../../http/confirmed-form";
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
import { isFactorRequired, requireFactors } from "../../../services/accounts/factors";
import {
  deleteOperator,
  disableOperator,
  enableOperator,
  endSessionsOf,
  resetFactors,
} from "../../../services/accounts/operators";
import { createResetLink } from "../../../services/accounts/password-reset";
import { EmailInput } from "../../accounts/account.inputs.server";

export const meta = titlePage("Operators");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const administrator = await requireAdministrator(args);
  const afterId = parseUuid(new URL(args.request.url).searchParams.get("after") ?? "");
  return {
    ...(await listOperators(administrator, afterId)),
    invitations: await listInvitations(administrator),
    isRequired: await isFactorRequired(),
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
    invite: confirmedForm(args, administrator.actor, z.object({}), async () => {
      const token = await createInvitation(administrator, null);
      return { link: getAccountLink("invitation", token, appOrigin) };
    }),
    revoke: form(z.object({ invitationId: z.string() }), async ({ invitationId }) => {
      await revokeInvitation(administrator, invitationId);
      return answer("The link is revoked.");
    }),
    reset: confirmedForm(args, administrator.actor, Choice, async ({ operatorId }) => {
      const { token } = await createResetLink(administrator, operatorId);
      const url = getAccountLink("password_reset", token, appOrigin);
      return { resetLink: { operatorId, url } };
    }),
    end: confirmedForm(args, administrator.actor, Choice, async ({ operatorId }) => {
      const { name } = await endSessionsOf(administrator, operatorId);
      return answer(`${name} is signed out everywhere.`);
    }),
    factors: confirmedForm(args, administrator.actor, Choice, async ({ operatorId }) => {
      const { name } = await resetFactors(administrator, operatorId);
      return answer(`${name} signs in with only a password.`);
    }),
    require: confirmedForm(
      args,
      administrator.actor,
      z.object({ isRequired: z.enum(["yes", "no"]) }),
      async ({ isRequired }) => {
        await requireFactors(administrator, isRequired === "yes");
        return answer(
          isRequired === "yes"
            ? "Every operator now needs a second factor."
            : "A second factor is no longer required.",
        );
      },
    ),
    disable: confirmedForm(
      args,
      administrator.actor,
      Choice.extend({ deletesApiKeys: z.string() }),
      async ({ operatorId, deletesApiKeys }) => {
        const { name } = await disableOperator(administrator, operatorId, deletesApiKeys === "yes");
        return answer(`${name} can no longer sign in.`);
      },
    ),
    enable: confirmedForm(args, administrator.actor, Choice, async ({ operatorId }) => {
      const { name } = await enableOperator(administrator, operatorId);
      return answer(`${name} can sign in again.`);
    }),
    delete: confirmedForm(
      args,
      administrator.actor,
      Choice.extend({ heir: z.union([z.literal(""), EmailInput]) }),
      async ({ operatorId, heir }) => {
        const { name } = await deleteOperator(administrator, operatorId, heir);
        return answer(`The account of ${name} is deleted.`);
      },
    ),
    administrator: confirmedForm(
      args,
      administrator.actor,
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
  const { operators, hasMore, invitations, isRequired, readerId, isFirstPage, readAt } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const last = operators.at(-1);
  return (
    <>
      <PageHeader title="Operators" description="The people who can sign in." />
      <div className="mt-6 grid max-w-3xl gap-6">
        <div className="min-w-0">
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
        <FactorRequirement isRequired={isRequired} answer={answer} />
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
