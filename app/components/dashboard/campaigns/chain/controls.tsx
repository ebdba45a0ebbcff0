import type { Hex } from "viem";
import { useConnection, useReadContract } from "wagmi";
import { campaignAbi } from "../../../../domain/campaigns/contract";
import { Field } from "../../../form/field";
import { Address } from "../../../ui/address";
import { Alert } from "../../../ui/alert";
import { Button } from "../../../ui/button";
import { Card } from "../../../ui/card";
import { ConnectWallet } from "../../../wallet/connect-wallet";
import { SendStatus } from "../../../wallet/send-status";
import { SwitchNetwork } from "../../../wallet/switch-network";
import { ConfirmSend } from "./confirm-send";
import { ExtendDeadline } from "./extend-deadline";
import { FUNDING } from "./funding-steps";
import type { ChainPageData, ChainStage } from "./page";
import { NOT_AN_ADDRESS, PaidTo, readAddress } from "./paid-to";
import { STRAY, type useCampaignSend } from "./use-campaign-send";

/** Offers the actions on chain that a campaign's admin can take. */
export function CampaignControls({
  page,
  stage,
  hasFunding,
  sending,
}: {
  page: ChainPageData;
  stage: ChainStage;
  /** Whether the page has the steps of funding, which show their own transactions. */
  hasFunding: boolean;
  sending: ReturnType<typeof useCampaignSend>;
}) {
  const { campaign, chain, funded } = page;
  const { address, chainId, isConnected } = useConnection();
  const { state, send, settle, isBusy, minedText, problem } = sending;
  const onchainId = campaign.onchainId ?? 0n;
  const airdrop = useReadContract({
    abi: campaignAbi,
    address: campaign.contractAddress,
    functionName: "airdrop",
    args: [onchainId],
    chainId: chain.id as 84532,
  });
  const [, , , admin, pendingAdmin] = airdrop.data ?? [];
  const isShown =
    state.step !== "idle" && state.kind !== STRAY && !(hasFunding && FUNDING.includes(state.kind));
  const isHere = isConnected && chainId === chain.id;
  const me = address?.toLowerCase();
  const isAdmin = isHere && me === (admin?.toLowerCase() ?? campaign.adminAddress);
  const isNext = isHere && me === pendingAdmin?.toLowerCase();
  const call = (functionName: string, args: readonly unknown[]) => ({
    address: campaign.contractAddress,
    abi: campaignAbi,
    functionName,
    args,
    value: 0n,
  });
  /** Sends the call that pays to the form's address, if the address is valid. */
  const payOut = (fields: FormData, kind: string, roots: readonly Hex[]) => {
    const to = readAddress(fields, "to");
    if (!to) return { to: NOT_AN_ADDRESS };
    void send(kind, call(kind, [onchainId, roots, to]));
    return undefined;
  };
  return (
    <Card heading="Manage on chain">
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <ConnectWallet />
        {isConnected && !isHere && <SwitchNetwork chain={chain} />}
        {isHere && !isAdmin && !isNext && campaign.adminAddress && (
          <p className="text-ink-muted">
            Only the admin can manage this campaign. Connect{" "}
            <Address address={campaign.adminAddress} />
          </p>
        )}
        {isNext && (
          <div className="space-y-2">
            <p>This wallet was proposed as the campaign's admin.</p>
            <Button
              size="small"
              isBusy={isBusy}
              onClick={() => void send("accept", call("acceptAdmin", [onchainId]))}
            >
              Become the admin
            </Button>
          </div>
        )}
        {isAdmin && (
          <div className="flex flex-wrap gap-2">
            {stage === "ended" &&
              funded.parts.map((roots, part) => (
                <ConfirmSend
                  key={roots[0]}
                  label={
                    funded.parts.length === 1
                      ? "Take back unclaimed tokens"
                      : `Take back part ${part + 1} of ${funded.parts.length}`
                  }
                  title="Take back the unclaimed tokens?"
                  text="The contract pays out all unclaimed tokens of these buckets."
                  confirmLabel="Take back"
                  isBusy={isBusy}
                  onConfirm={(fields) => payOut(fields, "refund", roots)}
                >
                  {(problems) => <PaidTo address={address} problem={problems.to} />}
                </ConfirmSend>
              ))}
            <ConfirmSend
              label="Transfer the admin"
              title="Propose another admin?"
              text="Nothing changes until that wallet accepts on this page. Then only that wallet can add buckets, extend the deadline, cancel and take back tokens."
              confirmLabel="Propose"
              variant="quiet"
              isBusy={isBusy}
              onConfirm={(fields) => {
                const next = readAddress(fields, "admin");
                if (!next) return { admin: NOT_AN_ADDRESS };
                void send("propose", call("proposeAdmin", [onchainId, next]));
                return undefined;
              }}
            >
              {(problems) => (
                <Field
                  label="New admin"
                  name="admin"
                  spellCheck={false}
                  autoComplete="off"
                  problem={problems.admin}
                />
              )}
            </ConfirmSend>
            {stage === "active" && campaign.claimDeadline && (
              <ExtendDeadline
                deadline={campaign.claimDeadline}
                timeZone={campaign.deadlineTimeZone ?? "UTC"}
                isBusy={isBusy}
                onConfirm={(later) =>
                  void send("extend", call("extendDeadline", [onchainId, later]))
                }
              />
            )}
            {stage === "active" && (
              <ConfirmSend
                label="Cancel the campaign"
                title={`Cancel ${campaign.name}?`}
                text="All claims stop at once and for good. Unclaimed tokens are paid back to the address below."
                confirmLabel="Cancel for good"
                variant="danger"
                requireText={campaign.campaignId ?? campaign.name}
                isBusy={isBusy}
                onConfirm={(fields) => payOut(fields, "cancel", funded.parts[0] ?? [])}
              >
                {(problems) => <PaidTo address={address} problem={problems.to} />}
              </ConfirmSend>
            )}
          </div>
        )}
        {isAdmin && pendingAdmin && BigInt(pendingAdmin) !== 0n && (
          <p className="text-ink-muted">
            Proposed as the next admin: <Address address={pendingAdmin.toLowerCase()} />
          </p>
        )}
        {isShown && (
          <SendStatus
            state={state}
            explorerUrl={chain.explorerUrl}
            minedText={minedText}
            onStop={settle}
          />
        )}
        {isShown && problem && <Alert>{problem}</Alert>}
      </div>
    </Card>
  );
}
