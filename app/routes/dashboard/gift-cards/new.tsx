import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { GiftCardFields } from "../../../components/dashboard/gift-cards/fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { takeForm } from "../../../http/form";
import { createFormToken, FormToken } from "../../../http/form-token";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { createGiftCardReward } from "../../../services/gift-cards/drafts";
import { getGiftCardReward } from "../../../services/gift-cards/gift-cards";
import { listPointsChoices } from "../../../services/rewards/points-choice";
import { usePointSystem } from "../point-systems/layout";
import { GiftCardInputs, toTerms } from "./gift-cards.inputs.server";

export const meta = titlePage("New gift cards");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("gift-cards/new"));
  const points = await listPointsChoices(pointSystemId, "giftcard", "");
  return { points, token: createFormToken() };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("gift-cards/new"));
  const inputsOnce = GiftCardInputs.safeExtend({ token: FormToken });
  return takeForm(args, inputsOnce, async ({ token, ...inputs }) => {
    const { id } = await createGiftCardReward(member, toTerms(inputs), token);
    const path = `/dashboard/${member.pointSystemId}/gift-cards/${id}`;
    // A form that is sent again finds what became of its draft.
    const { name, status } = await getGiftCardReward(member, id);
    const text = status === "draft" ? "is a draft. Add codes next." : "is no longer a draft.";
    return redirectWithNotice(path, `${name} ${text}`, args.context);
  });
});

export default function NewGiftCards() {
  const { points, token } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  const { id } = usePointSystem();
  return (
    <>
      <PageHeader
        title="New gift cards"
        description="Wallets with enough points get one of your codes. Nothing is assigned until you distribute."
        breadcrumb={[{ label: "Rewards", to: `/dashboard/${id}/rewards` }]}
      />
      <div className="mt-6 max-w-lg">
        <Form
          fields={{ token: problems?.values.token ?? token }}
          problems={problems}
          submitLabel="Create draft"
        >
          <GiftCardFields points={points} problems={problems} />
        </Form>
      </div>
    </>
  );
}
