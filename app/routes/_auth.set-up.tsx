import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { startSession } from "../auth/sessions";
import { AuthCard } from "../components/auth-card";
import { Form } from "../components/form/form";
import { Field } from "../components/ui/field";
import { createFirstOperator, hasOperators, isSetUpTokenValid } from "../services/set-up";
import { EmailInput, NameInput, NewPasswordInput } from "./account-inputs.server";
import { takeForm } from "./form.server";
import { page } from "./page.server";

export const meta: MetaFunction = () => [{ title: "Set up · Points and Rewards" }];

export const loader = page(async ({ request }: LoaderFunctionArgs) => {
  if (await hasOperators()) throw redirect("/sign-in");
  const isOpen = await isSetUpTokenValid(readToken(request));
  return data({ isOpen }, { status: isOpen ? 200 : 403 });
});

export const action = page(({ request, context }: ActionFunctionArgs) => {
  const schema = z.object({ name: NameInput, email: EmailInput, password: NewPasswordInput });
  return takeForm(request, schema, async (values) => {
    const operator = await createFirstOperator(readToken(request), values);
    const cookies = request.headers.get("cookie") ?? "";
    const cookie = await startSession(operator.id, cookies, context.appOrigin);
    return redirect("/dashboard", { headers: { "Set-Cookie": cookie } });
  });
});

/** The form posts to its own address, which has the token. */
function readToken(request: Request): string {
  return new URL(request.url).searchParams.get("token") ?? "";
}

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
              This service has no operator yet. When it started, it printed a link in its console
              that opens this page: use that one.
            </p>
            <p>A link works once, and for a day. Restart the service, and it prints a new one.</p>
          </div>
        }
      />
    );
  }
  return (
    <AuthCard
      heading="Welcome"
      intro="Make the first operator's account. You sign in with it from now on."
    >
      <Form problems={problems} submitLabel="Create the account">
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          maxLength={100}
          defaultValue={problems?.values.name}
          problem={problems?.fields.name}
        />
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
          autoComplete="new-password"
          hint="At least 12 characters. A few words in a row are easy to remember."
          problem={problems?.fields.password}
        />
      </Form>
    </AuthCard>
  );
}
