import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { findOperator } from "../../auth/request-operator";
import { AuthCard } from "../../components/accounts/card";
import { AccountFields } from "../../components/accounts/fields";
import { LINK_INTENT, LinkForm, useLinkInFragment } from "../../components/accounts/link-form";
import { Form } from "../../components/form/form";
import { problemsOf } from "../../components/form/problems";
import { ButtonLink } from "../../components/ui/button-link";
import {
  keepLinkToken,
  linkForm,
  readLinkToken,
  readOrigin,
  redirectSignedIn,
} from "../../http/browser";
import { form, takeForms } from "../../http/form";
import { requireActor } from "../../http/member";
import { redirectWithNotice } from "../../http/notice";
import { page } from "../../http/page";
import { findInvitation } from "../../services/accounts/account-links";
import { acceptAsNewOperator, acceptInvitation } from "../../services/accounts/invitations";
import { NewAccountInputs } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "Invitation · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  keepLinkToken(args);
  const operator = await findOperator(args);
  const token = readLinkToken(args);
  const invitation = await findInvitation(token, operator?.id ?? null);
  const reader = operator && { email: operator.email };
  const hasToken = token !== "";
  return data({ invitation, reader, hasToken }, { status: invitation ? 200 : 403 });
});

export const action = page((args: ActionFunctionArgs) => {
  const token = readLinkToken(args);
  return takeForms(args, {
    create: form(NewAccountInputs, async (account) => {
      const operator = await acceptAsNewOperator(token, account, readOrigin(args));
      return redirectSignedIn(args, operator);
    }),
    join: form(z.object({}), async () => {
      const { pointSystemId, name } = await acceptInvitation(token, await requireActor(args));
      const path = `/dashboard/${pointSystemId}`;
      return redirectWithNotice(path, `You joined ${name}.`, args.context);
    }),
    [LINK_INTENT]: linkForm(args),
  });
});

export default function Invitation() {
  const { invitation, reader, hasToken } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  useLinkInFragment();
  if (!invitation) {
    return (
      <AuthCard
        heading={hasToken ? "This link does not work" : "Open your invitation"}
        intro="An invitation works once, expires after a week, and can be revoked. Ask its sender for a new one."
      >
        <LinkForm answer={answer} />
      </AuthCard>
    );
  }
  const { pointSystem, role, standing } = invitation;
  if (!reader) {
    return (
      <AuthCard
        heading={pointSystem ? `Join ${pointSystem.name}` : "You are invited"}
        intro={
          <div className="space-y-3">
            <p>
              {pointSystem
                ? `Create an account to join as ${withArticle(role)}.`
                : "Create an account to set up your own point systems."}
            </p>
            {pointSystem && (
              <p>
                Already have an account?{" "}
                <Link to="/sign-in" className="text-accent underline">
                  Sign in
                </Link>
                , then open this link again.
              </p>
            )}
          </div>
        }
      >
        <Form
          isWide
          intent="create"
          problems={problemsOf(answer, "create")}
          submitLabel="Create account"
        >
          <AccountFields problems={problemsOf(answer, "create")} />
        </Form>
      </AuthCard>
    );
  }
  if (!pointSystem) {
    return (
      <AuthCard
        heading="You already have an account"
        intro={`You are signed in as ${reader.email}. This link creates a new account. Forward it to its recipient, or sign out first.`}
      >
        <ButtonLink to="/dashboard">Go to the dashboard</ButtonLink>
      </AuthCard>
    );
  }
  if (standing) {
    return (
      <AuthCard
        heading={`You are already a member of ${pointSystem.name}`}
        intro={`You are signed in as ${reader.email}, its ${standing}. The link still works for someone else.`}
      >
        <ButtonLink to={`/dashboard/${pointSystem.id}`}>Open {pointSystem.name}</ButtonLink>
      </AuthCard>
    );
  }
  return (
    <AuthCard heading={`Join ${pointSystem.name}`} intro={`You are signed in as ${reader.email}.`}>
      <Form
        isWide
        intent="join"
        problems={problemsOf(answer, "join")}
        submitLabel={`Join ${pointSystem.name} as ${role}`}
      />
    </AuthCard>
  );
}

function withArticle(role: string | null): string {
  return role === "editor" ? "an editor" : "a viewer";
}
