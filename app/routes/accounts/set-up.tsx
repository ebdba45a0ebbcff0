import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { AuthCard } from "../../components/accounts/card";
import { AccountFields } from "../../components/accounts/fields";
import { LINK_INTENT, LinkForm, useLinkInFragment } from "../../components/accounts/link-form";
import { Form } from "../../components/form/form";
import { problemsOf } from "../../components/form/problems";
import {
  keepLinkToken,
  linkForm,
  readLinkToken,
  readOrigin,
  redirectSignedIn,
} from "../../http/browser";
import { form, takeForms } from "../../http/form";
import { page } from "../../http/page";
import {
  createFirstOperator,
  hasOperators,
  isSetUpTokenValid,
} from "../../services/accounts/set-up";
import { NewAccountInputs } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "Set up · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  if (await hasOperators()) throw redirect("/sign-in");
  keepLinkToken(args);
  const isOpen = await isSetUpTokenValid(readLinkToken(args));
  return data({ isOpen }, { status: isOpen ? 200 : 403 });
});

export const action = page((args: ActionFunctionArgs) =>
  takeForms(args, {
    "": form(NewAccountInputs, async (account) => {
      const token = readLinkToken(args);
      const operator = await createFirstOperator(token, account, readOrigin(args));
      return redirectSignedIn(args, operator);
    }),
    [LINK_INTENT]: linkForm(args),
  }),
);

export default function SetUp() {
  const { isOpen } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const problems = problemsOf(answer, "");
  useLinkInFragment();
  if (!isOpen) {
    return (
      <AuthCard
        heading="Open the set-up link"
        intro={
          <div className="space-y-3">
            <p>
              This service has no operator yet. Open the set-up link that it printed in its console
              at the start.
            </p>
            <p>
              A link works once and expires after a day. Restart the service to print a new one.
            </p>
          </div>
        }
      >
        <LinkForm answer={answer} />
      </AuthCard>
    );
  }
  return (
    <AuthCard
      heading="Welcome"
      intro="Create the first operator's account. You sign in with it from now on."
    >
      <Form isWide problems={problems} submitLabel="Create account">
        <AccountFields problems={problems} />
      </Form>
    </AuthCard>
  );
}
