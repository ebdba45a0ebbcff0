import { useSubmit } from "@remix-run/react";
import { useEffect, useState } from "react";
import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { createPasskey } from "../../form/passkey";
import { type FormProblems, fieldOf, problemsOf } from "../../form/problems";
import { Alert } from "../../ui/alert";
import { Card } from "../../ui/card";
import { Ago } from "../../ui/local";

type Answer = { problems: FormProblems } | object | undefined;

/** An answer that lets the browser create a passkey. */
interface Registration {
  readonly options: object;
  readonly name: string;
}

/** Lists an operator's passkeys, and adds one. */
export function PasskeyCard({
  passkeys,
  registration,
  answer,
  readAt,
}: {
  passkeys: readonly { id: string; name: string; createdAt: Date; lastUsedAt: Date | null }[];
  registration: Registration | null;
  answer: Answer;
  readAt: number;
}) {
  const problem = useRegistration(registration);
  const problems = problemsOf(answer, "begin-passkey") ?? problemsOf(answer, "add-passkey");
  return (
    <Card heading="Passkeys" aside="Sign in without the password">
      <ul aria-label="Passkeys" className="divide-y divide-line">
        {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
          <li
            key={id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 text-sm sm:px-5"
          >
            <div className="min-w-0">
              <p className="break-words font-medium">{name}</p>
              <p className="mt-0.5 text-ink-muted">
                added <Ago date={createdAt} now={readAt} />
                {lastUsedAt && (
                  <>
                    , used <Ago date={lastUsedAt} now={readAt} />
                  </>
                )}
              </p>
            </div>
            <div className="flex flex-wrap items-start gap-2">
              <ConfirmForm
                intent="rename-passkey"
                fields={{ passkeyId: id }}
                size="small"
                label="Rename"
                heading={`Rename ${name}?`}
                text="The name helps you tell your passkeys apart."
                confirmLabel="Save the name"
                confirmVariant="primary"
                problems={problemsOf(answer, "rename-passkey", { passkeyId: id })}
              >
                <NameField
                  problems={problemsOf(answer, "rename-passkey", { passkeyId: id })}
                  name={name}
                />
              </ConfirmForm>
              <ConfirmForm
                intent="remove-passkey"
                fields={{ passkeyId: id }}
                size="small"
                label="Remove"
                heading={`Remove ${name}?`}
                text="It will no longer sign you in. Your device may still list it."
                confirmLabel="Remove the passkey"
                problems={problemsOf(answer, "remove-passkey", { passkeyId: id })}
              />
            </div>
          </li>
        ))}
      </ul>
      <div className="space-y-4 border-t border-line p-4 sm:p-5">
        {problem && <Alert>{problem}</Alert>}
        <Form intent="begin-passkey" problems={problems} submitLabel="Add a passkey">
          <NameField problems={problems} name="" />
        </Form>
        <noscript>
          <p className="text-sm text-ink-muted">Passkeys need JavaScript.</p>
        </noscript>
      </div>
    </Card>
  );
}

function NameField({ problems, name }: { problems: FormProblems | undefined; name: string }) {
  return (
    <Field
      label="Name of the passkey"
      {...fieldOf(problems, "name", name)}
      autoComplete="off"
      maxLength={60}
      placeholder="Phone, laptop, security key"
    />
  );
}

/** Creates the passkey for which an answer brought the options, and posts it. */
function useRegistration(registration: Registration | null): string | null {
  const submit = useSubmit();
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!registration) return;
    setProblem(null);
    createPasskey(registration.options).then(
      (response) => {
        const fields = { intent: "add-passkey", name: registration.name, response };
        submit(fields, { method: "post" });
      },
      (error: Error) => setProblem(error.message),
    );
  }, [registration, submit]);
  return problem;
}
