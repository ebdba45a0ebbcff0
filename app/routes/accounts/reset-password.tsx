import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { AuthCard } from "../../components/accounts/card";
import { NewPasswordField } from "../../components/accounts/fields";
import { Field } from "../../components/form/field";
import { Form } from "../../components/form/form";
import { readLinkToken, readOrigin, redirectSignedIn } from "../../http/browser";
import { takeForm } from "../../http/form";
import { page } from "../../http/page";
import { findResetLink, resetPassword } from "../../services/accounts/password-reset";
import { NewPasswordInput } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "New password · Points and Rewards" }];

export const loader = page(async ({ request }: LoaderFunctionArgs) => {
  const link = await findResetLink(readLinkToken(request));
  return data({ link }, { status: link ? 200 : 403 });
});

export const action = page((args: ActionFunctionArgs) =>
  takeForm(args, z.object({ password: NewPasswordInput }), async ({ password }) => {
    const operator = await resetPassword(readLinkToken(args.request), password, readOrigin(args));
    return redirectSignedIn(args, operator.id);
  }),
);

export default function ResetPassword() {
  const { link } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  if (!link) {
    return (
      <AuthCard
        heading="This link does not work"
        intro="A password link works once and expires after a day. Ask an administrator for a new one."
      />
    );
  }
  return (
    <AuthCard
      heading="Set a new password"
      intro="This signs you in here and signs you out everywhere else."
    >
      <Form problems={problems} submitLabel="Set password">
        <Field
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          readOnly
          defaultValue={link.email}
        />
        <NewPasswordField label="New password" name="password" problems={problems} />
      </Form>
    </AuthCard>
  );
}
