import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { z } from "zod";
import { findOperator } from "../auth/request-operator";
import { startSession } from "../auth/sessions";
import { AuthCard } from "../components/auth-card";
import { Form } from "../components/form/form";
import { Field } from "../components/ui/field";
import { signIn } from "../services/operators";
import { hasOperators } from "../services/set-up";
import { EmailInput } from "./account-inputs.server";
import { takeForm } from "./form.server";
import { page } from "./page.server";

export const meta: MetaFunction = () => [{ title: "Sign in · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  if (await findOperator(args)) throw redirect("/dashboard");
  if (!(await hasOperators())) throw redirect("/set-up");
  return null;
});

export const action = page(({ request, context }: ActionFunctionArgs) => {
  const schema = z.object({
    email: EmailInput,
    password: z.string().min(1, "Enter your password").max(1_000, "This is too long"),
  });
  return takeForm(request, schema, async ({ email, password }) => {
    const operator = await signIn({ email, password, ip: context.ip });
    const cookies = request.headers.get("cookie") ?? "";
    const cookie = await startSession(operator.id, cookies, context.appOrigin);
    return redirect("/dashboard", { headers: { "Set-Cookie": cookie } });
  });
});

export default function SignIn() {
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
    </AuthCard>
  );
}
