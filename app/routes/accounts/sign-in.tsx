import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { findOperator } from "../../auth/request-operator";
import { AuthCard } from "../../components/accounts/card";
import { Field } from "../../components/form/field";
import { Form } from "../../components/form/form";
import { readOrigin, redirectSignedIn } from "../../http/browser";
import { takeForm } from "../../http/form";
import { page } from "../../http/page";
import { hasOperators } from "../../services/accounts/set-up";
import { signIn } from "../../services/accounts/sign-in";
import { EmailInput } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "Sign in · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  if (await findOperator(args)) throw redirect("/dashboard");
  if (!(await hasOperators())) throw redirect("/set-up");
  return { isSignUpOpen: args.context.isSignUpOpen };
});

const SignInInputs = z.object({
  email: EmailInput,
  password: z.string().min(1, "Enter your password").max(1_000, "This is too long"),
});

export const action = page((args: ActionFunctionArgs) =>
  takeForm(args, SignInInputs, async (credentials) => {
    const operator = await signIn(credentials, readOrigin(args));
    return redirectSignedIn(args, operator.id);
  }),
);

export default function SignIn() {
  const { isSignUpOpen } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <AuthCard heading="Sign in">
      <Form problems={problems} submitLabel="Sign in">
        <Field
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={problems?.values.email}
          problem={problems?.fields.email}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          problem={problems?.fields.password}
        />
      </Form>
      <div className="mt-6 space-y-2 border-t border-line pt-5 text-sm text-ink-muted">
        {isSignUpOpen && (
          <p>
            No account yet?{" "}
            <Link to="/sign-up" className="text-accent underline">
              Create one
            </Link>
          </p>
        )}
        <p>Forgot your password? Ask an administrator for a link to set a new one.</p>
      </div>
    </AuthCard>
  );
}
