import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { NewTriggerFields } from "../../../components/dashboard/point-systems/new-trigger-fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createTrigger } from "../../../services/point-systems/triggers";
import { usePointSystem } from "./layout";
import { NewTriggerInputs, toTriggerFields } from "./trigger.inputs.server";

export const meta: MetaFunction = () => [{ title: "New trigger · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireMember(args, "editor");
  return null;
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, "editor");
  return takeForm(args, NewTriggerInputs, async ({ key, ...inputs }) => {
    await createTrigger(member, { key, ...toTriggerFields(inputs) });
    const path = `/dashboard/${member.pointSystemId}/triggers/${key}`;
    return redirectWithNotice(path, `${inputs.name} is ready to use.`, args.context);
  });
});

export default function NewTrigger() {
  const { id } = usePointSystem();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New trigger"
        description="Your application fires it for a wallet, and the wallet gets its points."
        breadcrumb={[{ label: "Triggers", to: `/dashboard/${id}/triggers` }]}
      />
      <div className="mt-6 max-w-lg">
        <Form problems={problems} submitLabel="Create the trigger">
          <NewTriggerFields problems={problems} />
        </Form>
      </div>
    </>
  );
}
