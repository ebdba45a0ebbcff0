import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { GiftCardFields } from "../../../components/dashboard/gift-cards/fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { updateGiftCardReward } from "../../../services/gift-cards/drafts";
import { getGiftCardReward } from "../../../services/gift-cards/gift-cards";
import { listPointsChoices } from "../../../services/rewards/points-choice";
import { usePointSystem } from "../point-systems/layout";
import { GiftCardInputs, toTerms } from "./gift-cards.inputs.server";

export const meta = titlePage("Edit gift cards");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("gift-cards/:rewardId/edit"));
  const reward = await getGiftCardReward(member, args.params.rewardId ?? "");
  const { id, name, status, tiers, pointsBoard } = reward;
  if (status !== "draft") {
    throw redirect(`/dashboard/${member.pointSystemId}/gift-cards/${id}`);
  }
  const pointsCounted = pointsBoard ?? "";
  const points = await listPointsChoices(member.pointSystemId, "giftcard", pointsCounted);
  return { id, name, tiers, points, pointsCounted };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("gift-cards/:rewardId/edit"));
  const { rewardId = "" } = args.params;
  return takeForm(args, GiftCardInputs, async (inputs) => {
    await updateGiftCardReward(member, rewardId, toTerms(inputs));
    const path = `/dashboard/${member.pointSystemId}/gift-cards/${rewardId}`;
    return redirectWithNotice(path, `${inputs.name} is saved.`, args.context);
  });
});

export default function EditGiftCards() {
  const { id, name, ...fields } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  const base = `/dashboard/${usePointSystem().id}`;
  return (
    <>
      <PageHeader
        title="Edit gift cards"
        breadcrumb={[
          { label: "Rewards", to: `${base}/rewards` },
          { label: name, to: `${base}/gift-cards/${id}` },
        ]}
      />
      <div className="mt-6 max-w-lg">
        <Form problems={problems} submitLabel="Save">
          <GiftCardFields name={name} {...fields} problems={problems} />
        </Form>
      </div>
    </>
  );
}
