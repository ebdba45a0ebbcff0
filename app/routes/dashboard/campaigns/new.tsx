import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { CampaignFields } from "../../../components/dashboard/campaigns/fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createDraft } from "../../../services/campaigns/steps";
import { usePointSystem } from "../point-systems/layout";
import {
  CampaignInputs,
  createCampaignValues,
  listCampaignOptions,
  toDraft,
} from "./campaign.inputs.server";

export const meta: MetaFunction = () => [{ title: "New campaign · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireMember(args, "editor");
  return { values: createCampaignValues(), options: listCampaignOptions() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, "editor");
  return takeForm(args, CampaignInputs, async (inputs) => {
    const { id } = await createDraft(member, toDraft(inputs));
    const path = `/dashboard/${member.pointSystemId}/rewards/${id}/preview`;
    return redirectWithNotice(path, `${inputs.name} is drafted.`, args.context);
  });
});

export default function NewCampaign() {
  const { values, options } = useLoaderData<typeof loader>();
  const { id } = usePointSystem();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <>
      <PageHeader
        title="New campaign"
        description="Start with a draft. You see a preview before it is published."
        breadcrumb={[{ label: "Rewards", to: `/dashboard/${id}/rewards` }]}
      />
      <div className="mt-6 max-w-2xl">
        <Form problems={problems} submitLabel="Save the draft">
          <CampaignFields problems={problems} values={values} {...options} />
        </Form>
      </div>
    </>
  );
}
