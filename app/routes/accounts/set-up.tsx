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
import { Form } from "../../components/form/form";
import { readLinkToken, readOrigin, redirectSignedIn } from "../../http/browser";
import { takeForm } from "../../http/form";
import { page } from "../../http/page";
import {
  createFirstOperator,
  hasOperators,
  isSetUpTokenValid,
} from "../../services/accounts/set-up";
import { NewAccountInputs } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "Set up · Points and Rewards" }];

export const loader = page(async ({ request }: LoaderFunctionArgs) => {
  if (await hasOperators()) throw redirect("/sign-in");
  const isOpen = await isSetUpTokenValid(readLinkToken(request));
  return data({ isOpen }, { status: isOpen ? 200 : 403 });
});

export const action = page((args: ActionFunctionArgs) =>
  takeForm(args, NewAccountInputs, async (account) => {
    const token = readLinkToken(args.request);
    const operator = await createFirstOperator(token, account, readOrigin(args));
    return redirectSignedIn(args, operator.id);
  }),
);

export default function SetUp() {
  const { isOpen } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
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
      />
    );
  }
  return (
    <AuthCard
      heading="Welcome"
      intro="Create the first operator's account. You sign in with it from now on."
    >
      <Form problems={problems} submitLabel="Create account">
        <AccountFields problems={problems} />
      </Form>
    </AuthCard>
  );
}
