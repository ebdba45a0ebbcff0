import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Card } from "../../ui/card";
import { QrCode } from "../../ui/qr-code";
import { Secret } from "../../ui/secret";

type Answer = { problems: FormProblems } | object | undefined;

/** Sets an authenticator app up, or removes it. */
export function AuthenticatorCard({
  hasAuthenticator,
  app,
  answer,
}: {
  hasAuthenticator: boolean;
  /** The new secret, until its first code is entered. */
  app: { secret: string; uri: string } | null;
  answer: Answer;
}) {
  const problems = problemsOf(answer, "confirm-app");
  const { secret = app?.secret, uri = app?.uri } = problems?.values ?? {};
  return (
    <Card heading="Authenticator app" aside={hasAuthenticator ? "Set up" : "Not set up"}>
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <p className="text-ink-muted">
          An app on your phone shows a code that you enter after the password.
        </p>
        {hasAuthenticator ? (
          <ConfirmForm
            intent="remove-app"
            label="Remove"
            heading="Remove the authenticator app?"
            text="Its codes will stop working."
            confirmLabel="Remove it"
            problems={problemsOf(answer, "remove-app")}
          />
        ) : secret && uri ? (
          <>
            <p>
              Scan this with your app, or type the secret in. Then enter the code that it shows.
            </p>
            <QrCode text={uri} label="Code for the authenticator app" />
            <Secret label="Secret" value={secret} warning="Do not share it." />
            <Form
              intent="confirm-app"
              fields={{ secret, uri }}
              problems={problems}
              submitLabel="Set up"
            >
              <Field
                label="Authenticator code"
                name="code"
                inputMode="numeric"
                autoComplete="one-time-code"
                problem={problems?.fields.code}
              />
            </Form>
          </>
        ) : (
          <Form
            intent="begin-app"
            problems={problemsOf(answer, "begin-app")}
            submitLabel="Set up an app"
          />
        )}
      </div>
    </Card>
  );
}
