import { useState } from "react";
import { Card } from "../../../ui/card";
import { WalletProvider } from "../../../wallet/provider";
import { useDemoWallet } from "../../../wallet/use-demo-wallet";
import { CampaignControls } from "./controls";
import { FundingSteps } from "./funding-steps";
import type { ChainPageData, ChainStage } from "./page";
import { useCampaignSend } from "./use-campaign-send";

interface CampaignWalletProps {
  page: ChainPageData;
  stage: ChainStage;
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

function Parts({ page, stage }: CampaignWalletProps) {
  const sending = useCampaignSend(page);
  const isCreation = stage === "ready";
  const hasMore = page.unfunded.buckets > 0 && stage !== "ended";
  return (
    <>
      {hasMore && (
        <Card heading={isCreation ? "Create with a wallet" : "Add the remaining buckets"}>
          <FundingSteps page={page} sending={sending} />
        </Card>
      )}
      {!isCreation && <CampaignControls page={page} stage={stage} sending={sending} />}
    </>
  );
}
