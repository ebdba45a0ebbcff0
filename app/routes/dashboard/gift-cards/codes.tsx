import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { GiftCodeForm } from "../../../components/dashboard/gift-cards/code-form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { Failure } from "../../../domain/failure";
import { confirmedForm } from "../../../http/confirmed-form";
import { takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { readUploadBody } from "../../../http/upload";
import { getGiftCardReward } from "../../../services/gift-cards/gift-cards";
import { addGiftCardCodes } from "../../../services/gift-cards/stock";
import { usePointSystem } from "../point-systems/layout";
import { CodesInputs, describeCodes, pickCodes } from "./gift-cards.inputs.server";

export const meta = titlePage("Add codes");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("gift-cards/:rewardId/codes"));
  const { id, name, status, tiers } = await getGiftCardReward(member, args.params.rewardId ?? "");
  if (status === "cancelled") throw new Failure("gift_card_reward_moved_on");
  return { id, name, tiers };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("gift-cards/:rewardId/codes"));
  const { rewardId = "" } = args.params;
  // The reward is looked up first: without access to it, an upload is not even read.
  const { id } = await getGiftCardReward(member, rewardId);
  const form = confirmedForm(args, member.actor, CodesInputs, async (inputs) => {
    const { field, read } = pickCodes(inputs);
    const codes = await nameField(field, read);
    const outcome = await addGiftCardCodes(member, id, inputs.tier, codes.codes);
    const path = `/dashboard/${member.pointSystemId}/gift-cards/${id}`;
    const isGood = outcome.added > 0 && codes.refused.length === 0;
    return redirectWithNotice(
      path,
      describeCodes(inputs.tier, codes, outcome),
      args.context,
      isGood ? "success" : "danger",
    );
  });
  return takeForms(
    args,
    { "": form },
    {
      readBody: (request) => readUploadBody(request, "giftCodesFile"),
      uploader: member.actor.operatorId,
    },
  );
});

/** Adds to a failure the field beside which it is shown. */
async function nameField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, { ...error.details, field });
  }
}

export default function AddCodes() {
  const { id, name, tiers } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  const base = `/dashboard/${usePointSystem().id}`;
  return (
    <>
      <PageHeader
        title="Add codes"
        description="Codes are encrypted at once. Keep your own copy: only the holder of a card can read its code here."
        breadcrumb={[
          { label: "Rewards", to: `${base}/rewards` },
          { label: name, to: `${base}/gift-cards/${id}` },
        ]}
      />
      <div className="mt-6 max-w-2xl">
        <GiftCodeForm
          tiers={tiers}
          tier={tiers.find(({ inPool }) => inPool === 0)?.label}
          problems={problems}
        />
      </div>
    </>
  );
}
