import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { lazy, Suspense } from "react";
import { z } from "zod";
import { getWalletConnectProjectId } from "../../../chain/rpc/chains";
import { ContractCard } from "../../../components/dashboard/campaigns/chain/contract-card";
import { ChainDetails } from "../../../components/dashboard/campaigns/chain/facts";
import { ReportCard, SafeCard } from "../../../components/dashboard/campaigns/chain/other-ways";
import { getChainStage } from "../../../components/dashboard/campaigns/chain/page";
import { ChainProgress } from "../../../components/dashboard/campaigns/chain/progress";
import { StraysCard } from "../../../components/dashboard/campaigns/chain/strays-card";
import { TreeFileCard } from "../../../components/dashboard/campaigns/chain/tree-file";
import { problemsOf } from "../../../components/form/problems";
import { useIsHydrated } from "../../../components/hooks/use-is-hydrated";
import type { PageHandle } from "../../../components/page/page-handle";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { TableSkeleton } from "../../../components/ui/skeleton";
import { useWalletDocument } from "../../../components/wallet/document";
import { mayNameAdmin, mayRead, mayWrite } from "../../../domain/access/pages";
import { toCampaignRef } from "../../../domain/campaigns/ref";
import { Failure } from "../../../domain/failure";
import { REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { confirmedForm } from "../../../http/confirmed-form";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { findRole } from "../../../services/access/members";
import { findContract, getChainPage } from "../../../services/campaigns/chain/page";
import { checkWithChain, nameAdmin } from "../../../services/campaigns/chain/reports";
import { reportTransaction } from "../../../services/campaigns/chain/transactions";
import { findTreeFile } from "../../../services/campaigns/tree-files";
import { usePointSystem } from "../point-systems/layout";
import { AdminInput, ReportInput } from "./chain.inputs.server";

export const meta = titlePage("On chain");

export const handle: PageHandle = { usesWallet: true };

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("rewards/:rewardId/chain"));
  const chainPage = await getChainPage(member, args.params.rewardId ?? "");
  const { campaign, ...rest } = chainPage;
  const deployment = await findContract(chainPage);
  return {
    page: { ...rest, deployment, campaign: { ...campaign, ref: toCampaignRef(campaign.rewardId) } },
    treeFile: await findTreeFile(member, campaign.rewardId),
    walletConnectProjectId: getWalletConnectProjectId(),
    origin: args.context.appOrigin,
    now: Date.now(),
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("rewards/:rewardId/chain"));
  const { rewardId = "" } = args.params;
  const path = `/dashboard/${member.pointSystemId}/rewards/${rewardId}/chain`;
  return takeForms(args, {
    admin: confirmedForm(args, member.actor, AdminInput, async ({ admin }) => {
      const owner = findRole(member, mayNameAdmin());
      if (!owner) throw new Failure("role_missing");
      await nameAdmin(owner, rewardId, admin);
      return redirectWithNotice(path, "The admin is named.", args.context);
    }),
    report: form(ReportInput, async ({ txHash }) => {
      const { isCreated, chainId } = await reportTransaction(member, rewardId, txHash);
      const text = isCreated
        ? `Campaign created on ${REWARD_CHAINS[chainId].name}.`
        : "The transaction was found and recorded.";
      return redirectWithNotice(path, text, args.context);
    }),
    check: form(z.object({}), async () => ({ check: await checkWithChain(member, rewardId) })),
  });
});

const CampaignWallet = lazy(
  () => import("../../../components/dashboard/campaigns/chain/operator-wallet"),
);

export default function OnChain() {
  const loaded = useLoaderData<typeof loader>();
  const { page: data, treeFile, walletConnectProjectId, origin, now } = loaded;
  const answer = useActionData<typeof action>();
  const pointSystem = usePointSystem();
  useWalletDocument();
  const isHydrated = useIsHydrated();
  const stage = getChainStage(data, now);
  const canEdit = pointSystem.role !== "viewer";
  const isOwner = pointSystem.role === "owner";
  const isOnChain = data.campaign.onchainId !== null;
  const isFundable = stage === "undeployed" || stage === "active";
  const isOffered = canEdit && (isOnChain || stage === "ready");
  // A creation that was sent in time may not have been found yet.
  const isReportOffered = isOffered || (canEdit && stage === "late");
  const safePath = `/dashboard/${pointSystem.id}/rewards/${data.campaign.rewardId}/safe.json`;
  const hasStrays = data.strays.length > 0;
  const wallet = isHydrated && (isOffered || (canEdit && hasStrays)) && (
    <Suspense fallback={<TableSkeleton rows={4} columns={1} />}>
      <CampaignWallet
        page={data}
        stage={stage}
        canNameAdmin={isOwner}
        walletConnectProjectId={walletConnectProjectId}
        origin={origin}
      />
    </Suspense>
  );
  if (stage === "unbuilt" || stage === "withdrawn") {
    return (
      <div className="mt-6 grid max-w-3xl gap-6">
        <NothingYet stage={stage} />
        {hasStrays && <StraysCard page={data} />}
        {wallet}
      </div>
    );
  }
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
      {data.unfunded.buckets > 0 && data.deployment !== "deployed" && isFundable && (
        <ContractCard page={data} />
      )}
      {hasStrays && <StraysCard page={data} />}
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
      {canEdit && stage === "active" && (
        <p className="text-sm">
          <Link to="pay-out" className="inline-flex min-h-6 items-center text-accent underline">
            Pay out to everybody
          </Link>
        </p>
      )}
      {wallet}
      {treeFile && <TreeFileCard file={treeFile} />}
      {isOffered && (
        <>
          <noscript>
            <p className="text-sm text-ink-muted">Connecting a wallet needs JavaScript.</p>
          </noscript>
          {data.unfunded.buckets > 0 && data.deployment === "deployed" && stage !== "ended" && (
            <SafeCard
              page={data}
              canNameAdmin={isOwner}
              problems={problemsOf(answer, "admin")}
              href={safePath}
            />
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
    <Card heading="On chain">
      {stage === "unbuilt" ? (
        <EmptyState heading="The split is not built yet">
          Split the campaign first. Then this page shows the airdrop to create.
        </EmptyState>
      ) : (
        <EmptyState heading="This campaign was cancelled">
          It was not on chain at that time. If its creation was sent anyway, it is listed here once
          it is found, and its admin can take everything back.
        </EmptyState>
      )}
    </Card>
  );
}
