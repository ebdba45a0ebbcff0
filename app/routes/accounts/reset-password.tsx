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
import { LINK_INTENT, LinkForm, useLinkInFragment } from "../../components/accounts/link-form";
import { Field } from "../../components/form/field";
import { Form } from "../../components/form/form";
import { problemsOf } from "../../components/form/problems";
import {
  keepLinkToken,
  linkForm,
  readLinkToken,
  readOrigin,
  redirectSignedIn,
  redirectWithLink,
} from "../../http/browser";
import { form, takeForms } from "../../http/form";
import { page } from "../../http/page";
import { findResetLink, resetPassword } from "../../services/accounts/password-reset";
import { NewPasswordInput } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "New password · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  keepLinkToken(args);
  const token = readLinkToken(args);
  const link = await findResetLink(token);
  return data({ link, hasToken: token !== "" }, { status: link ? 200 : 403 });
});

/** The sign-in page as it greets somebody whose new password is set. */
const PASSWORD_SET_PATH = "/sign-in?password=set";

export const action = page((args: ActionFunctionArgs) =>
  takeForms(args, {
    "": form(z.object({ password: NewPasswordInput }), async ({ password }) => {
      const operator = await resetPassword(readLinkToken(args), password, readOrigin(args));
      return operator
        ? redirectSignedIn(args, operator)
        : redirectWithLink(args, "", PASSWORD_SET_PATH);
    }),
    [LINK_INTENT]: linkForm(args),
  }),
);

export default function ResetPassword() {
  const { link, hasToken } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const problems = problemsOf(answer, "");
  useLinkInFragment();
  if (!link) {
    return (
      <AuthCard
        heading={hasToken ? "This link does not work" : "Open your password link"}
        intro="A password link works once and expires after a day. Ask an administrator for a new one."
      >
        <LinkForm answer={answer} />
      </AuthCard>
    );
  }
  return (
    <AuthCard
      heading="Set a new password"
      intro="This signs you out everywhere else. A second factor that you have stays needed."
    >
      <Form isWide problems={problems} submitLabel="Set password">
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
