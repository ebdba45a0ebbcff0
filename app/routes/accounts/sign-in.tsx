import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { findOperator } from "../../auth/request-operator";
import { redirectToWantedPage } from "../../auth/wanted-page";
import { AuthCard } from "../../components/accounts/card";
import { Field } from "../../components/form/field";
import { Form } from "../../components/form/form";
import { PasskeyButton } from "../../components/form/passkey-button";
import { type FormProblems, fieldOf, problemsOf } from "../../components/form/problems";
import { readBrowserDevices, readOrigin, redirectSignedIn } from "../../http/browser";
import { form, takeForms } from "../../http/form";
import { page } from "../../http/page";
import { finishSignIn } from "../../services/accounts/second-step";
import { hasOperators } from "../../services/accounts/set-up";
import { signIn } from "../../services/accounts/sign-in";
import { EmailInput } from "./account.inputs.server";

export const meta: MetaFunction = () => [{ title: "Sign in · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  if (await findOperator(args)) {
    throw await redirectToWantedPage(args);
  }
  if (!(await hasOperators())) throw redirect("/set-up");
  const isPasswordSet = new URL(args.request.url).searchParams.get("password") === "set";
  return { isSignUpOpen: args.context.isSignUpOpen, isPasswordSet };
});

const SignInInputs = z.object({
  email: EmailInput,
  password: z.string().min(1, "Enter your password").max(1_000, "This is too long"),
});

const CodeInputs = z.object({
  ticket: z.string().max(200),
  code: z.string().trim().min(1, "Enter a code").max(40, "This is too long"),
});

export const action = page((args: ActionFunctionArgs) =>
  takeForms(args, {
    "": form(SignInInputs, async (credentials) => {
      const result = await signIn(credentials, readOrigin(args), readBrowserDevices(args));
      return "ticket" in result ? { step: result } : redirectSignedIn(args, result);
    }),
    code: form(CodeInputs, async (inputs) => {
      const operator = await finishSignIn(inputs, readOrigin(args));
      return redirectSignedIn(args, operator);
    }),
  }),
);

export default function SignIn() {
  const { isSignUpOpen, isPasswordSet } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const codeProblems = problemsOf(answer, "code");
  const ticket = answer && "step" in answer ? answer.step.ticket : codeProblems?.values.ticket;
  if (ticket) return <SecondStep ticket={ticket} problems={codeProblems} />;
  const problems = problemsOf(answer, "");
  return (
    <AuthCard
      heading="Sign in"
      intro={isPasswordSet && "Your new password is set. Sign in with it and your second factor."}
    >
      <Form isWide problems={problems} submitLabel="Sign in">
        <Field
          label="Email address"
          {...fieldOf(problems, "email")}
          type="email"
          autoComplete="username"
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          problem={problems?.fields.password}
        />
      </Form>
      <PasskeySignIn />
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

/** Asks for what the operator has beside the password. */
function SecondStep({ ticket, problems }: { ticket: string; problems: FormProblems | undefined }) {
  return (
    <AuthCard
      heading="One more step"
      intro="Enter the code of your authenticator app, or a recovery code."
    >
      <Form isWide intent="code" fields={{ ticket }} problems={problems} submitLabel="Sign in">
        <Field
          label="Code"
          name="code"
          autoComplete="one-time-code"
          problem={problems?.fields.code}
        />
      </Form>
      <PasskeySignIn />
      <p className="mt-6 border-t border-line pt-5 text-sm">
        <Link to="/sign-in" reloadDocument className="text-accent underline">
          Start again
        </Link>
      </p>
    </AuthCard>
  );
}

/** Signs in by a passkey, without an address or a password. */
function PasskeySignIn() {
  return (
    <div className="mt-4">
      <PasskeyButton
        path="/sign-in/passkey"
        label="Use a passkey"
        // A new document, since all that is shown belongs to a visitor. It leads to the wanted page.
        onGiven={() => window.location.assign("/sign-in")}
      />
    </div>
  );
}
