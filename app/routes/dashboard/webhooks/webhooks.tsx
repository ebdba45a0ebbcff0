import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { WebhookSecret } from "../../../components/dashboard/webhooks/created";
import { WebhookFields } from "../../../components/dashboard/webhooks/fields";
import { WebhookList } from "../../../components/dashboard/webhooks/list";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { confirmedForm } from "../../../http/confirmed-form";
import { takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { createWebhook } from "../../../services/webhooks/endpoints";
import { listWebhooks } from "../../../services/webhooks/webhooks";
import { usePointSystem } from "../point-systems/layout";
import { NewWebhookInputs } from "./webhook.inputs.server";

export const meta = titlePage("Webhooks");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const webhooks = await listWebhooks(await requireMember(args, mayRead("webhooks")));
  // A form makes at most one endpoint, however often it is sent.
  return { webhooks, formId: crypto.randomUUID(), readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("webhooks"));
  return takeForms(args, {
    create: confirmedForm(args, member.actor, NewWebhookInputs, async (inputs) => {
      const { secret } = await createWebhook(member, inputs);
      // The secret is in the answer itself, which no cache keeps.
      return { created: { id: inputs.id, secret } };
    }),
  });
});

/**
 * Revalidates after a refusal as well: an earlier post of the refused form may have made its
 * endpoint.
 */
export const shouldRevalidate = () => true;

export default function Webhooks() {
  const { webhooks, formId, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const created = answer && "created" in answer ? answer.created : undefined;
  const problems = problemsOf(answer, "create");
  const isEditor = role !== "viewer";
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Send signed events to your applications, in order, with retries."
      />
      <div className="mt-6 grid gap-6">
        {created && (
          <Card heading="Your new webhook">
            <WebhookSecret
              secret={created.secret}
              doneHref={`/dashboard/${pointSystemId}/webhooks/${created.id}`}
            />
          </Card>
        )}
        <Card heading="Endpoints">
          <WebhookList webhooks={webhooks} now={readAt} isEditor={isEditor} />
        </Card>
        {isEditor && !created && (
          <Card heading="New webhook">
            <div className="max-w-lg p-4 sm:p-5">
              <Form
                intent="create"
                fields={{ id: formId }}
                problems={problems}
                submitLabel="Create the webhook"
              >
                <WebhookFields problems={problems} />
              </Form>
            </div>
          </Card>
        )}
      </div>
    </>
  );
}
