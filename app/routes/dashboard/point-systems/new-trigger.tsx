import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { NewTriggerFields } from "../../../components/dashboard/point-systems/new-trigger-fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { listTimeZones } from "../../../domain/local-time";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createTrigger } from "../../../services/point-systems/triggers";
import { usePointSystem } from "./layout";
import { NewTriggerInputs, toTriggerFields } from "./trigger.inputs.server";

export const meta = titlePage("New trigger");

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireMember(args, mayRead("triggers/new"));
  return { timeZones: listTimeZones() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("triggers/new"));
  return takeForm(args, NewTriggerInputs, async ({ key, ...inputs }) => {
    await createTrigger(member, { key, ...toTriggerFields(inputs) });
    const path = `/dashboard/${member.pointSystemId}/triggers/${key}`;
    return redirectWithNotice(path, `${inputs.name} is ready to use.`, args.context);
  });
});

export default function NewTrigger() {
  const { id } = usePointSystem();
  const { timeZones } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New trigger"
        description="Your application fires it for a wallet, which earns its points."
        breadcrumb={[{ label: "Triggers", to: `/dashboard/${id}/triggers` }]}
      />
      <div className="mt-6 max-w-lg">
        <Form problems={problems} submitLabel="Create the trigger">
          <NewTriggerFields problems={problems} timeZones={timeZones} />
        </Form>
      </div>
    </>
  );
}
