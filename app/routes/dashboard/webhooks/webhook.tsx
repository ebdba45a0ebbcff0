import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { WebhookActions } from "../../../components/dashboard/webhooks/actions";
import { WebhookSecret } from "../../../components/dashboard/webhooks/created";
import { DeliveryList } from "../../../components/dashboard/webhooks/delivery-list";
import { WebhookFacts } from "../../../components/dashboard/webhooks/facts";
import { WebhookFields } from "../../../components/dashboard/webhooks/fields";
import { ReplayForm } from "../../../components/dashboard/webhooks/replay-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { confirmedForm } from "../../../http/confirmed-form";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { listDeliveries, replaySince, sendTest } from "../../../services/webhooks/deliveries";
import {
  deleteWebhook,
  rotateWebhookSecret,
  switchWebhookOff,
  switchWebhookOn,
  updateWebhook,
} from "../../../services/webhooks/endpoints";
import { getWebhook } from "../../../services/webhooks/webhooks";
import { usePointSystem } from "../point-systems/layout";
import {
  ReplayInputs,
  RotationInputs,
  SwitchOnInputs,
  WebhookInputs,
} from "./webhook.inputs.server";

export const meta = titlePage("Webhook");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("webhooks/:webhookId"));
  const { webhookId = "" } = args.params;
  const before = new URL(args.request.url).searchParams.get("before");
  const webhook = await getWebhook(member, webhookId);
  const list = await listDeliveries(member, webhookId, before);
  return { webhook, ...list, isNewest: before === null, readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("webhooks/:webhookId"));
  const { webhookId = "" } = args.params;
  const list = `/dashboard/${member.pointSystemId}/webhooks`;
  const tell = (text: string, to = `${list}/${webhookId}`) =>
    redirectWithNotice(to, text, args.context);
  return takeForms(args, {
    test: form(z.object({}), async () => {
      await sendTest(member, webhookId);
      return tell("A test is on its way. Load this page again to see its answer.");
    }),
    off: form(z.object({}), async () => {
      await switchWebhookOff(member, webhookId);
      return tell("The webhook is off.");
    }),
    on: form(SwitchOnInputs, async ({ from }) => {
      await switchWebhookOn(member, webhookId, from);
      return tell("The webhook is on.");
    }),
    replay: form(ReplayInputs, async ({ since }) => {
      const { replayed } = await replaySince(member, webhookId, since);
      const deliveries =
        replayed === 1 ? "1 delivery" : `${replayed.toLocaleString("en")} deliveries`;
      return tell(`${deliveries} will be sent again.`);
    }),
    update: confirmedForm(args, member.actor, WebhookInputs, async (inputs) => {
      await updateWebhook(member, webhookId, inputs);
      return tell("Changes saved.");
    }),
    rotate: confirmedForm(args, member.actor, RotationInputs, async ({ seen }) => {
      const { secret } = await rotateWebhookSecret(member, webhookId, seen);
      return { rotated: { secret } };
    }),
    delete: confirmedForm(args, member.actor, z.object({}), async () => {
      const { url } = await deleteWebhook(member, webhookId);
      return tell(`${url} is deleted.`, list);
    }),
  });
});

export default function Webhook() {
  const { webhook, deliveries, older, isNewest, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const rotated = answer && "rotated" in answer ? answer.rotated : undefined;
  const changing = problemsOf(answer, "update");
  const isEditor = role !== "viewer";
  const list = `/dashboard/${pointSystemId}/webhooks`;
  const here = `${list}/${webhook.id}`;
  return (
    <>
      <PageHeader
        title={<span className="break-all">{webhook.url}</span>}
        breadcrumb={[{ label: "Webhooks", to: list }]}
        actions={
          isEditor &&
          !rotated && (
            <WebhookActions
              url={webhook.url}
              isOff={webhook.offAt !== null}
              secretMark={webhook.secretMark}
              answer={answer}
            />
          )
        }
      />
      <div className="mt-6 grid gap-6">
        {rotated && (
          <Card heading="The new secret">
            <WebhookSecret secret={rotated.secret} doneHref={here} />
          </Card>
        )}
        <WebhookFacts webhook={webhook} now={readAt} />
        <Card heading="Deliveries" aside="Kept for 30 days">
          <DeliveryList deliveries={deliveries} now={readAt} href={here} />
        </Card>
        <CursorPager
          label="Pages of deliveries"
          newerHref={isNewest ? null : "?"}
          newerLabel="Newest"
          olderHref={older && `?before=${older}`}
        />
        {isEditor && (
          <>
            <Card heading="Replay">
              <ReplayForm problems={problemsOf(answer, "replay")} now={readAt} />
            </Card>
            <Card heading="URL and events">
              <div className="max-w-lg p-4 sm:p-5">
                <Form intent="update" problems={changing} submitLabel="Save">
                  <WebhookFields webhook={webhook} problems={changing} />
                </Form>
              </div>
            </Card>
          </>
        )}
      </div>
    </>
  );
}
