import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import {
  ShareExplanation,
  SharePayout,
  ShareProof,
} from "../../../components/dashboard/campaigns/share-explanation";
import { WalletStandingNote } from "../../../components/dashboard/campaigns/wallet-standing-note";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { mayRead } from "../../../domain/access/pages";
import { parseAddress, shortenAddress } from "../../../domain/address";
import { isSplit } from "../../../domain/campaigns/campaign";
import { Failure } from "../../../domain/failure";
import { page } from "../../../http/page";
import { previewSplit } from "../../../services/campaigns/preview";
import { findWalletShare, getEligibility } from "../../../services/campaigns/wallets";
import { usePointSystem } from "../point-systems/layout";
import { requireCampaign } from "./campaign.server";
import { useCampaign } from "./layout";

export const meta = titlePage("A wallet’s share");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { member, campaign } = await requireCampaign(
    args,
    mayRead("rewards/:rewardId/wallets/:address"),
  );
  const address = parseAddress(args.params.address ?? "");
  if (!address) throw new Failure("not_found");
  const share = await findWalletShare(member, campaign, address);
  if (share) return { address, share, standing: null, totalWeight: null };
  const standing = await getEligibility(member, campaign, address);
  const isEstimate = standing.kind === "eligible" && !isSplit(campaign);
  const totalWeight = isEstimate ? (await previewSplit(member, campaign)).totalWeight : null;
  return { address, share, standing, totalWeight };
});

export default function CampaignWallet() {
  const { address, share, standing, totalWeight } = useLoaderData<typeof loader>();
  const { campaign, readAt } = useCampaign();
  const { id: pointSystemId } = usePointSystem();
  const walletHref = `/dashboard/${pointSystemId}/wallets/${address}`;
  return (
    <div className="space-y-6">
      <div>
        <h2 className="font-semibold">{shortenAddress(address)}</h2>
        <p className="break-all font-mono text-[0.8125rem] text-ink-muted">{address}</p>
        <Link
          to={walletHref}
          className="inline-flex min-h-6 items-center text-sm text-accent underline"
        >
          Its points and history
        </Link>
      </div>
      {share && (
        <>
          <Card heading="How the amount is computed">
            <ShareExplanation share={share} campaign={campaign} now={readAt} />
          </Card>
          {campaign.chainId === null ? (
            <Card heading="Payout">
              <SharePayout share={share} />
            </Card>
          ) : (
            <Card heading="Proof and claim">
              <ShareProof share={share} chainId={campaign.chainId} />
            </Card>
          )}
        </>
      )}
      {standing && (
        <Card heading="No share">
          <div className="p-4 sm:p-5">
            <WalletStandingNote
              address={address}
              standing={standing}
              campaign={campaign}
              totalWeight={totalWeight}
            />
          </div>
        </Card>
      )}
    </div>
  );
}
