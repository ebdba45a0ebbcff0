import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { CampaignFields } from "../../../components/dashboard/campaigns/fields";
import { Form } from "../../../components/form/form";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { updateDraft } from "../../../services/campaigns/steps";
import { listCampaignChainIds } from "../../../services/campaigns/terms";
import {
  CampaignInputs,
  listCampaignOptions,
  toCampaignValues,
  toDraft,
} from "./campaign.inputs.server";
import { requireCampaign } from "./campaign.server";

export const meta = titlePage("Edit the draft");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(args, mayRead("rewards/:rewardId/edit"));
  if (campaign.status !== "draft") {
    throw redirect(`/dashboard/${member.pointSystemId}/rewards/${campaign.id}`);
  }
  const chainIds = await listCampaignChainIds(member.pointSystemId);
  const values = toCampaignValues(campaign);
  return { values, options: await listCampaignOptions(member.pointSystemId, chainIds, values) };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("rewards/:rewardId/edit"));
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
