import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { lazy, Suspense } from "react";
import { z } from "zod";
import { getWalletConnectProjectId } from "../../../chain/rpc/chains";
import { ChainDetails } from "../../../components/dashboard/campaigns/chain/facts";
import { ReportCard, SafeCard } from "../../../components/dashboard/campaigns/chain/other-ways";
import { getChainStage } from "../../../components/dashboard/campaigns/chain/page";
import { ChainProgress } from "../../../components/dashboard/campaigns/chain/progress";
import { problemsOf } from "../../../components/form/problems";
import { useIsHydrated } from "../../../components/hooks/use-is-hydrated";
import type { PageHandle } from "../../../components/page/page-handle";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { TableSkeleton } from "../../../components/ui/skeleton";
import { useWalletDocument } from "../../../components/wallet/document";
import { toCampaignRef } from "../../../domain/campaigns/ref";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { getChainPage } from "../../../services/campaigns/chain/page";
import {
  checkWithChain,
  nameAdmin,
  reportTransaction,
} from "../../../services/campaigns/chain/reports";
import { usePointSystem } from "../point-systems/layout";
import { AdminInput, ReportInput } from "./chain.inputs.server";

export const meta: MetaFunction = () => [{ title: "On chain · Points and Rewards" }];

export const handle: PageHandle = { usesWallet: true };

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, "viewer");
  const { campaign, ...rest } = await getChainPage(member, args.params.rewardId ?? "");
  return {
    page: { ...rest, campaign: { ...campaign, ref: toCampaignRef(campaign.rewardId) } },
    walletConnectProjectId: getWalletConnectProjectId(),
    origin: args.context.appOrigin,
    now: Date.now(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, "editor");
  const { rewardId = "" } = args.params;
  const path = `/dashboard/${member.pointSystemId}/rewards/${rewardId}/chain`;
  return takeForms(args, {
    admin: form(AdminInput, async ({ admin }) => {
      await nameAdmin(member, rewardId, admin);
      return redirectWithNotice(path, "The admin is named.", args.context);
    }),
    report: form(ReportInput, async ({ txHash }) => {
      const isNew = await reportTransaction(member, rewardId, txHash);
      const text = isNew
        ? "The transaction was found and recorded."
        : "The transaction was already recorded.";
      return redirectWithNotice(path, text, args.context);
    }),
    check: form(z.object({}), async () => ({ check: await checkWithChain(member, rewardId) })),
  });
});

const CampaignWallet = lazy(
  () => import("../../../components/dashboard/campaigns/chain/operator-wallet"),
);

export default function OnChain() {
  const { page: data, walletConnectProjectId, origin, now } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const pointSystem = usePointSystem();
  useWalletDocument();
  const isHydrated = useIsHydrated();
  const stage = getChainStage(data, now);
  const canEdit = pointSystem.role !== "viewer";
  const isOnChain = data.campaign.onchainId !== null;
  const isOffered = canEdit && (isOnChain || stage === "ready");
  // A creation that was sent in time may not have been found yet.
  const isReportOffered = isOffered || (canEdit && stage === "late");
  const safePath = `/dashboard/${pointSystem.id}/rewards/${data.campaign.rewardId}/safe.json`;
  if (stage === "unbuilt" || stage === "withdrawn") return <NothingYet stage={stage} />;
  return (
    <div className="mt-6 grid max-w-3xl gap-6">
      <ChainDetails page={data} stage={stage} now={now} />
      {stage === "unconfigured" && (
        <Card heading="This chain is not set up here">
          <p className="p-4 text-sm sm:p-5">
            Set <code className="break-all">RPC_URL_{data.chain.id}</code> to a JSON-RPC endpoint of{" "}
            {data.chain.name} and restart the service.
          </p>
        </Card>
      )}
      {stage === "late" && (
        <Card heading="The deadline has passed">
          <p className="p-4 text-sm sm:p-5">
            The contract accepts no campaign after its deadline. Cancel this one on its overview and
            draft another.
          </p>
        </Card>
      )}
      {isOnChain && (
        <ChainProgress
          page={data}
          check={answer && "check" in answer ? answer.check : undefined}
          problems={problemsOf(answer, "check")}
        />
      )}
      {isOffered && isHydrated && (
        <Suspense fallback={<TableSkeleton rows={4} columns={1} />}>
          <CampaignWallet
            page={data}
            stage={stage}
            walletConnectProjectId={walletConnectProjectId}
            origin={origin}
          />
        </Suspense>
      )}
      {isOffered && (
        <>
          <noscript>
            <p className="text-sm text-ink-muted">Connecting a wallet needs JavaScript.</p>
          </noscript>
          {data.unfunded.buckets > 0 && stage !== "ended" && (
            <SafeCard page={data} problems={problemsOf(answer, "admin")} href={safePath} />
          )}
        </>
      )}
      {isReportOffered && <ReportCard problems={problemsOf(answer, "report")} />}
      {!canEdit && (
        <p className="text-sm text-ink-muted">Editors and the owner can change this campaign.</p>
      )}
    </div>
  );
}

function NothingYet({ stage }: { stage: "unbuilt" | "withdrawn" }) {
  return (
    <div className="mt-6 max-w-3xl">
      <Card heading="On chain">
        {stage === "unbuilt" ? (
          <EmptyState heading="The split is not built yet">
            Split the campaign first. Then this page shows the airdrop to create.
          </EmptyState>
        ) : (
          <EmptyState heading="This campaign was cancelled">
            It was not on chain at that time. If its creation was sent anyway, its admin can cancel
            it in the contract and gets everything back.
          </EmptyState>
        )}
      </Card>
    </div>
  );
}
