import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { lazy, Suspense } from "react";
import { getWalletConnectProjectId } from "../../../chain/rpc/chains";
import { isPastDeadline } from "../../../components/dashboard/campaigns/chain/page";
import { useIsHydrated } from "../../../components/hooks/use-is-hydrated";
import type { PageHandle } from "../../../components/page/page-handle";
import { titlePage } from "../../../components/page/page-title";
import { getButtonClass } from "../../../components/ui/button";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { Count } from "../../../components/ui/local";
import { TableSkeleton } from "../../../components/ui/skeleton";
import { TokenAmount } from "../../../components/ui/token-amount";
import { useWalletDocument } from "../../../components/wallet/document";
import { mayRead } from "../../../domain/access/pages";
import { toCursor } from "../../../domain/campaigns/pay-out";
import { toCampaignRef } from "../../../domain/campaigns/ref";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { getChainPage } from "../../../services/campaigns/chain/page";
import { countPayments } from "../../../services/campaigns/chain/payments";
import { usePointSystem } from "../point-systems/layout";

export const meta = titlePage("Pay out");

export const handle: PageHandle = { usesWallet: true };

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("rewards/:rewardId/chain/pay-out"));
  const { rewardId = "" } = args.params;
  const { campaign, chain } = await getChainPage(member, rewardId);
  return {
    campaign: { ...campaign, ref: toCampaignRef(campaign.rewardId) },
    chain,
    open: await countPayments(member, rewardId),
    walletConnectProjectId: getWalletConnectProjectId(),
    origin: args.context.appOrigin,
    isOver: isPastDeadline(campaign, Date.now()),
  };
});

const PayOutWallet = lazy(() => import("../../../components/dashboard/campaigns/chain/pay-out"));

export default function PayOutPage() {
  const loaded = useLoaderData<typeof loader>();
  const { campaign, chain, open, walletConnectProjectId, origin, isOver } = loaded;
  const pointSystem = usePointSystem();
  useWalletDocument();
  const isHydrated = useIsHydrated();
  const base = `/dashboard/${pointSystem.id}/rewards/${campaign.rewardId}`;
  if (campaign.onchainId === null || campaign.airdropStatus !== "active" || isOver) {
    return (
      <Card heading="Pay out to everybody">
        <EmptyState heading="There is nothing to pay out">
          {campaign.onchainId === null
            ? "Create the campaign on chain first."
            : isOver
              ? "The deadline has passed."
              : "The campaign has ended on chain."}
        </EmptyState>
      </Card>
    );
  }
  return (
    <div className="grid max-w-3xl gap-6">
      <Card heading="Pay out to everybody">
        <p className="p-4 text-sm sm:p-5">
          <Count value={open.wallets} /> {open.wallets === 1 ? "wallet has" : "wallets have"} not
          claimed <TokenAmount amountWei={open.amountWei} token={campaign} isExact />.
        </p>
      </Card>
      {isHydrated && (
        <Suspense fallback={<TableSkeleton rows={4} columns={1} />}>
          <PayOutWallet
            page={{ campaign, chain }}
            wallets={open.wallets}
            paymentsPath={`${base}/payments.json`}
            walletConnectProjectId={walletConnectProjectId}
            origin={origin}
          />
        </Suspense>
      )}
      <noscript>
        <p className="text-sm text-ink-muted">Connecting a wallet needs JavaScript.</p>
      </noscript>
      {open.files.length > 0 && (
        <Card heading="With a Safe">
          <div className="space-y-3 p-4 text-sm sm:p-5">
            <p className="text-ink-muted">
              Download files for Safe's Transaction Builder instead. Each is one transaction of the
              admin's Safe, and they can be executed in any order. What was paid meanwhile is
              skipped.
            </p>
            <ul className="flex flex-wrap gap-2">
              {open.files.map(({ after, first, last }) => (
                <li key={first}>
                  <a
                    href={`${base}/payments-safe.json${after ? `?after=${toCursor(after)}` : ""}`}
                    download
                    className={getButtonClass("quiet", "small")}
                  >
                    Wallets {first} to {last}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        </Card>
      )}
    </div>
  );
}
