import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { CampaignFields } from "../../../components/dashboard/campaigns/fields";
import { Form } from "../../../components/form/form";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { updateDraft } from "../../../services/campaigns/steps";
import {
  CampaignInputs,
  listCampaignOptions,
  toCampaignValues,
  toDraft,
} from "./campaign.inputs.server";
import { requireCampaign } from "./campaign.server";

export const meta: MetaFunction = () => [{ title: "Edit the draft · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, "editor");
  if (campaign.status !== "draft") {
    throw redirect(`/dashboard/${member.pointSystemId}/rewards/${campaign.id}`);
  }
  return { values: toCampaignValues(campaign), options: listCampaignOptions() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, "editor");
  const { rewardId = "" } = args.params;
  return takeForm(args, CampaignInputs, async (inputs) => {
    await updateDraft(member, rewardId, toDraft(inputs));
    const path = `/dashboard/${member.pointSystemId}/rewards/${rewardId}/preview`;
    return redirectWithNotice(path, `${inputs.name} is saved.`, args.context);
  });
});

export default function EditCampaign() {
  const { values, options } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  return (
    <div className="max-w-2xl">
      <h2 className="mb-4 font-semibold">Edit the draft</h2>
      <Form problems={problems} submitLabel="Save the draft">
        <CampaignFields problems={problems} values={values} {...options} />
      </Form>
    </div>
  );
}
