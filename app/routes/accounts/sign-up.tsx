import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { Link, useActionData } from "@remix-run/react";
import { findOperator } from "../../auth/request-operator";
import { AuthCard } from "../../components/accounts/card";
import { AccountFields } from "../../components/accounts/fields";
import { Form } from "../../components/form/form";
import { Failure } from "../../domain/failure";
import { readOrigin, redirectSignedIn } from "../../http/browser";
import { takeForm } from "../../http/form";
import { page } from "../../http/page";
import { hasOperators } from "../../services/accounts/set-up";
import { signUp } from "../../services/accounts/sign-up";
import { NewAccountInputs } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "Create an account · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  if (!args.context.isSignUpOpen) throw new Failure("not_found");
  if (await findOperator(args)) throw redirect("/dashboard");
  // The first account runs the installation. It is made by the link that the service printed at its
  // start.
  if (!(await hasOperators())) throw redirect("/set-up");
  return null;
});

export const action = page(async (args: ActionFunctionArgs) => {
  if (!args.context.isSignUpOpen) throw new Failure("not_found");
  return takeForm(args, NewAccountInputs, async (account) => {
    const operator = await signUp(account, readOrigin(args));
    return redirectSignedIn(args, operator);
  });
});

export default function SignUp() {
  const problems = useActionData<typeof action>()?.problems;
  return (
    <AuthCard
      heading="Create an account"
      intro={
        <p>
          Already have one?{" "}
          <Link to="/sign-in" className="text-accent underline">
            Sign in
          </Link>
        </p>
      }
    >
      <Form isWide problems={problems} submitLabel="Create account">
        <AccountFields problems={problems} />
      </Form>
    </AuthCard>
  );
}
