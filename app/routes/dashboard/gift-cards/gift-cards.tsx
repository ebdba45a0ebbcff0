import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { GiftCardActions } from "../../../components/dashboard/gift-cards/actions";
import { GiftCardHandOut } from "../../../components/dashboard/gift-cards/hand-out";
import { LockedCodes } from "../../../components/dashboard/gift-cards/locked-codes";
import { GiftCardPreview } from "../../../components/dashboard/gift-cards/preview";
import { GiftCardResult } from "../../../components/dashboard/gift-cards/result";
import { GiftCardStock } from "../../../components/dashboard/gift-cards/stock";
import { RewardBadge } from "../../../components/dashboard/rewards/badge";
import { describePreviewedPoints } from "../../../components/dashboard/rewards/points-counted";
import { RewardStages } from "../../../components/dashboard/rewards/stages";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Tabs } from "../../../components/ui/tabs";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import type { RewardStatus } from "../../../domain/rewards/reward";
import type { StagedReward } from "../../../domain/rewards/stage";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { distributeGiftCards } from "../../../services/gift-cards/distribution";
import { cancelGiftCardReward, publishGiftCardReward } from "../../../services/gift-cards/drafts";
import { getGiftCardReward } from "../../../services/gift-cards/gift-cards";
import { previewGiftCards } from "../../../services/gift-cards/preview";
import { removeGiftCardCodes } from "../../../services/gift-cards/stock";
import { usePointSystem } from "../point-systems/layout";
import { DistributionInputs, describeDistribution, TierInput } from "./gift-cards.inputs.server";
import { readHandOut, readView } from "./recipients.inputs.server";

export const meta = titlePage("Gift cards");

const VIEWS = [
  { view: "stock", label: "Stock" },
  { view: "preview", label: "Preview" },
  { view: "recipients", label: "Recipients" },
  { view: "reveals", label: "Reveals" },
] as const;

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("gift-cards/:rewardId"));
  const { rewardId = "" } = args.params;
  const view = readView(args.request);
  const readAt = Date.now();
  if (view === "preview") {
    const { reward, preview } = await previewGiftCards(member, rewardId);
    return data({ reward, view, preview, handOut: null, readAt });
  }
  const reward = await getGiftCardReward(member, rewardId);
  if (view === "stock") return data({ reward, view, preview: null, handOut: null, readAt });
  const handOut = await readHandOut(args, member, reward.id, view);
  const status = handOut.search?.status ?? 200;
  return data({ reward, view, preview: null, handOut, readAt }, { status });
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("gift-cards/:rewardId"));
  const { rewardId = "" } = args.params;
  const here = `/dashboard/${member.pointSystemId}/gift-cards/${rewardId}`;
  const tell = (text: string, to = here) => redirectWithNotice(to, text, args.context);
  return takeForms(args, {
    publish: form(z.object({ terms: z.string().max(64) }), async ({ terms }) => {
      const { name } = await publishGiftCardReward(member, rewardId, terms);
      return tell(`${name} is published. It can be distributed now.`, `${here}?view=preview`);
    }),
    distribute: form(DistributionInputs, async ({ rule }) => {
      const outcome = await distributeGiftCards(member, rewardId, rule);
      return tell(describeDistribution(outcome), `${here}?view=recipients`);
    }),
    cancel: form(z.object({}), async () => {
      const { name } = await cancelGiftCardReward(member, rewardId);
      return tell(`${name} is cancelled.`);
    }),
    removeCodes: form(TierInput, async ({ tier }) => {
      const count = await removeGiftCardCodes(member, rewardId, tier);
      const codes = count === 1 ? "1 code" : `${count.toLocaleString("en")} codes`;
      return tell(`${codes} removed from ${tier}.`);
    }),
  });
});

const toStaged = ({ status }: { status: RewardStatus }): StagedReward => ({
  ...{ kind: "giftcard", chainId: null, isSplit: false, isOver: false },
  status,
});

/** Revalidates after a refusal as well: the page then shows the terms that it was refused for. */
export const shouldRevalidate = () => true;

export default function GiftCards() {
  const { reward, view, preview, handOut, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const base = `/dashboard/${pointSystemId}`;
  const here = `${base}/gift-cards/${reward.id}`;
  const walletHref = `${base}/wallets`;
  const isEditor = role !== "viewer";
  const stage = toStaged(reward);
  return (
    <>
      <PageHeader
        title={reward.name}
        description={
          <span className="flex flex-wrap items-center gap-2">
            {reward.status === "cancelled" && <RewardBadge reward={stage} />} Gift cards
          </span>
        }
        breadcrumb={[{ label: "Rewards", to: `${base}/rewards` }]}
        actions={
          isEditor && (
            <GiftCardActions
              name={reward.name}
              status={reward.status}
              tiers={reward.tiers}
              terms={reward.terms}
              findProblems={(intent) => problemsOf(answer, intent)}
            />
          )
        }
      />
      <div className="mt-5 space-y-6">
        <RewardStages reward={stage} />
        <LockedCodes lockedCodes={reward.lockedCodes} />
        <Tabs
          label="Views of these gift cards"
          tabs={VIEWS.map(({ view: name, label }) => ({
            label,
            to: name === "stock" ? here : `${here}?view=${name}`,
            isCurrent: name === view,
          }))}
        />
        {view === "stock" && reward.status === "distributed" && (
          <GiftCardResult tiers={reward.tiers} />
        )}
        {view === "stock" && (
          <GiftCardStock
            tiers={reward.tiers}
            points={reward}
            codesHref={isEditor && reward.status !== "cancelled" ? `${here}/codes` : null}
            editHref={isEditor && reward.status === "draft" ? `${here}/edit` : null}
            canRemove={isEditor}
            findRemovalProblems={(tier) => problemsOf(answer, "removeCodes", { tier })}
          />
        )}
        {preview && (
          <GiftCardPreview
            preview={preview}
            pointsNote={describePreviewedPoints(reward)}
            walletHref={walletHref}
          />
        )}
        {handOut && (
          <GiftCardHandOut
            handOut={handOut}
            walletHref={walletHref}
            recipientsHref={`${here}/recipients.csv`}
            now={readAt}
          />
        )}
      </div>
    </>
  );
}
