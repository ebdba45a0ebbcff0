import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { CampaignFields } from "../../../components/dashboard/campaigns/fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { takeForm } from "../../../http/form";
import { createFormToken, FormToken } from "../../../http/form-token";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { getCampaign } from "../../../services/campaigns/campaigns";
import { createDraft } from "../../../services/campaigns/steps";
import { listCampaignChainIds } from "../../../services/campaigns/terms";
import { usePointSystem } from "../point-systems/layout";
import {
  CampaignInputs,
  createCampaignValues,
  listCampaignOptions,
  toDraft,
} from "./campaign.inputs.server";

export const meta = titlePage("New campaign");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("rewards/new"));
  const chainIds = await listCampaignChainIds(pointSystemId);
  const values = createCampaignValues(chainIds);
  const options = await listCampaignOptions(pointSystemId, chainIds, values);
  return { values, options, token: createFormToken() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("rewards/new"));
  const inputsOnce = CampaignInputs.safeExtend({ token: FormToken });
  return takeForm(args, inputsOnce, async ({ token, ...inputs }) => {
    const { id } = await createDraft(member, toDraft(inputs), { token });
    const path = `/dashboard/${member.pointSystemId}/rewards/${id}`;
    // A form that is sent again finds what became of its draft.
    const { campaignName, status } = await getCampaign(member, id);
    return status === "draft"
      ? redirectWithNotice(`${path}/preview`, `${campaignName} is drafted.`, args.context)
      : redirectWithNotice(path, `${campaignName} is no longer a draft.`, args.context);
  });
});

export default function NewCampaign() {
  const { values, options, token } = useLoaderData<typeof loader>();
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
        <Form
          fields={{ token: problems?.values.token ?? token }}
          problems={problems}
          submitLabel="Save the draft"
        >
          <CampaignFields problems={problems} values={values} {...options} />
        </Form>
      </div>
    </>
  );
}
