import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { requireOperator } from "../../../auth/request-operator";
import { NewPasswordField } from "../../../components/accounts/fields";
import { SessionList } from "../../../components/dashboard/accounts/session-list";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Field } from "../../../components/form/field";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { readStoredSessionId, startBrowserSession } from "../../../http/browser";
import { confirmedForm } from "../../../http/confirmed-form";
import { form, takeForms } from "../../../http/form";
import { requireActor } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import {
  changePassword,
  endOtherSessions,
  endOwnSession,
  listSessions,
  renameOperator,
} from "../../../services/accounts/account";
import { dismissNotices } from "../../../services/accounts/notices";
import { NameInput, NewPasswordInput } from "../../accounts/account.inputs.server";

export const meta = titlePage("Account");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { name, email } = await requireOperator(args);
  const sessions = await listSessions(await requireActor(args), readStoredSessionId(args));
  return { name, email, sessions, readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const actor = await requireActor(args);
  const answer = (text: string) => redirectWithNotice("/dashboard/account", text, args.context);
  return takeForms(args, {
    rename: form(z.object({ name: NameInput }), async ({ name }) => {
      await renameOperator(actor, name);
      return answer("Your name is saved.");
    }),
    dismiss: form(z.object({}), async () => {
      await dismissNotices(actor);
      return answer("The notices are dismissed.");
    }),
    password: form(
      z.object({
        currentPassword: z.string().min(1, "Enter your password").max(1_000, "This is too long"),
        newPassword: NewPasswordInput,
      }),
      async ({ currentPassword, newPassword }) => {
        await changePassword(actor, { current: currentPassword, next: newPassword });
        const cookie = await startBrowserSession(args, { id: actor.operatorId });
        const response = await answer("Your password is changed. Other browsers are signed out.");
        response.headers.append("Set-Cookie", cookie);
        return response;
      },
    ),
    end: confirmedForm(
      args,
      actor,
      z.object({ sessionId: z.string().max(64) }),
      async ({ sessionId }) => {
        await endOwnSession(actor, sessionId);
        return answer("The session is ended.");
      },
    ),
    "end-others": confirmedForm(args, actor, z.object({}), async () => {
      await endOtherSessions(actor, readStoredSessionId(args) ?? "");
      return answer("All other browsers are signed out.");
    }),
  });
});

export default function Account() {
  const { name, email, sessions, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const passwordProblems = problemsOf(answer, "password");
  const nameProblems = problemsOf(answer, "rename");
  return (
    <>
      <PageHeader title="Account" description={email} />
      <div className="mt-6 grid max-w-2xl gap-6">
        <Card heading="Name">
          <div className="p-4 sm:p-5">
            <Form intent="rename" problems={nameProblems} submitLabel="Save">
              <Field
                label="Your name"
                name="name"
                autoComplete="name"
                maxLength={100}
                defaultValue={nameProblems?.values.name ?? name}
                problem={nameProblems?.fields.name}
              />
            </Form>
          </div>
        </Card>
        <Card heading="Password">
          <div className="space-y-5 p-4 sm:p-5">
            <p className="text-sm text-ink-muted">
              A new password signs you out in every other browser.
            </p>
            <Form intent="password" problems={passwordProblems} submitLabel="Change the password">
              <Field
                label="Current password"
                name="currentPassword"
                type="password"
                autoComplete="current-password"
                problem={passwordProblems?.fields.currentPassword}
              />
              <NewPasswordField
                label="New password"
                name="newPassword"
                problems={passwordProblems}
              />
            </Form>
          </div>
        </Card>
        <Card heading="Sessions" aside="Where you are signed in">
          <SessionList sessions={sessions} answer={answer} readAt={readAt} />
          {sessions.length > 1 && (
            <div className="border-t border-line p-4 sm:p-5">
              <ConfirmForm
                intent="end-others"
                label="End all others"
                heading="End all other sessions?"
                text="You stay signed in here, and are signed out everywhere else."
                confirmLabel="End them"
                problems={problemsOf(answer, "end-others")}
              />
            </div>
          )}
        </Card>
      </div>
    </>
  );
}
