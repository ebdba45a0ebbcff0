import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { DeliveryFacts } from "../../../components/dashboard/webhooks/delivery-facts";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { getDelivery, replayDelivery, skipDelivery } from "../../../services/webhooks/deliveries";
import { getWebhook } from "../../../services/webhooks/webhooks";
import { usePointSystem } from "../point-systems/layout";

export const meta = titlePage("Delivery");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("webhooks/:webhookId/deliveries/:seq"));
  const { webhookId = "", seq = "" } = args.params;
  const [{ url }, delivery] = await Promise.all([
    getWebhook(member, webhookId),
    getDelivery(member, webhookId, seq),
  ]);
  return { webhook: { id: webhookId, url }, delivery, readAt: Date.now() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("webhooks/:webhookId/deliveries/:seq"));
  const { webhookId = "", seq = "" } = args.params;
  const list = `/dashboard/${member.pointSystemId}/webhooks/${webhookId}`;
  return takeForms(args, {
    replay: form(z.object({}), async () => {
      await replayDelivery(member, webhookId, seq);
      return redirectWithNotice(list, "The delivery will be sent again.", args.context);
    }),
    skip: form(z.object({}), async () => {
      await skipDelivery(member, webhookId, seq);
      return redirectWithNotice(list, "The delivery is skipped.", args.context);
    }),
  });
});

export default function Delivery() {
  const { webhook, delivery, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const list = `/dashboard/${pointSystemId}/webhooks`;
  return (
    <>
      <PageHeader
        title={delivery.type}
        breadcrumb={[
          { label: "Webhooks", to: list },
          { label: webhook.url, to: `${list}/${webhook.id}` },
        ]}
        actions={
          role !== "viewer" &&
          (delivery.state === "waiting" ? (
            <ConfirmForm
              intent="skip"
              label="Skip"
              heading="Skip this delivery?"
              text="It is not sent, and later deliveries continue. You can send it again."
              confirmLabel="Skip the delivery"
              problems={problemsOf(answer, "skip")}
            />
          ) : (
            <Form
              intent="replay"
              submitLabel="Send again"
              problems={problemsOf(answer, "replay")}
            />
          ))
        }
      />
      <div className="mt-6 grid gap-6">
        <DeliveryFacts delivery={delivery} now={readAt} />
      </div>
    </>
  );
}
