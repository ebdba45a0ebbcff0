import { useState } from "react";
import { Card } from "../../../ui/card";
import { WalletProvider } from "../../../wallet/provider";
import { useDemoWallet } from "../../../wallet/use-demo-wallet";
import { CampaignControls } from "./controls";
import { FundingSteps } from "./funding-steps";
import type { ChainPageData, ChainStage } from "./page";
import { StrayControls } from "./stray-controls";
import { useCampaignSend } from "./use-campaign-send";

interface CampaignWalletProps {
  page: ChainPageData;
  stage: ChainStage;
  /** Whether the operator is the owner, who alone names the admin. */
  canNameAdmin: boolean;
  walletConnectProjectId: string | null;
  origin: string;
}

/**
 * Shows the part of the campaign's page that needs a wallet. It includes wagmi, and is loaded
 * separately.
 */
export default function CampaignWallet(props: CampaignWalletProps) {
  const { page, walletConnectProjectId, origin } = props;
  const [chains] = useState(() => [page.chain]);
  if (!useDemoWallet(chains)) return null;
  return (
    <WalletProvider options={{ chains, walletConnectProjectId, origin }}>
      <Parts {...props} />
    </WalletProvider>
  );
}

function Parts({ page, stage, canNameAdmin }: CampaignWalletProps) {
  const sending = useCampaignSend(page);
  const isCreation = stage === "ready";
  const isFundable = isCreation || stage === "active";
  const hasMore = page.unfunded.buckets > 0 && page.deployment === "deployed" && isFundable;
  return (
    <>
      {hasMore && (
        <Card heading={isCreation ? "Create with a wallet" : "Add the remaining buckets"}>
          <FundingSteps page={page} canNameAdmin={canNameAdmin} sending={sending} />
        </Card>
      )}
      {page.strays.length > 0 && <StrayControls page={page} sending={sending} />}
      {page.campaign.onchainId !== null && (
        <CampaignControls page={page} stage={stage} hasFunding={hasMore} sending={sending} />
      )}
    </>
  );
}
