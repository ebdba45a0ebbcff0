import { useConnection } from "wagmi";
import { campaignAbi } from "../../../../domain/campaigns/contract";
import { Address } from "../../../ui/address";
import { Card } from "../../../ui/card";
import { ConnectWallet } from "../../../wallet/connect-wallet";
import { SendStatus } from "../../../wallet/send-status";
import { SwitchNetwork } from "../../../wallet/switch-network";
import { ConfirmSend } from "./confirm-send";
import type { ChainPageData, StrayAirdrop } from "./page";
import { NOT_AN_ADDRESS, PaidTo, readAddress } from "./paid-to";
import { STRAY, type useCampaignSend } from "./use-campaign-send";

/** Offers the admin of stray airdrops to cancel them, and to take their tokens back. */
export function StrayControls({
  page: { chain, strays },
  sending,
}: {
  page: ChainPageData;
  sending: ReturnType<typeof useCampaignSend>;
}) {
  const { address, chainId, isConnected } = useConnection();
  const { state, send, settle, isBusy } = sending;
  const isHere = isConnected && chainId === chain.id;
  const me = address?.toLowerCase();
  const takeBack = (stray: StrayAirdrop, fields: FormData) => {
    const to = readAddress(fields, "to");
    if (!to) return { to: NOT_AN_ADDRESS };
    void send(STRAY, {
      address: stray.contract,
      abi: campaignAbi,
      functionName: stray.isCancelled ? "refund" : "cancel",
      args: [BigInt(stray.onchainId), stray.roots, to],
      value: 0n,
    });
    return undefined;
  };
  return (
    <Card heading="Take back the other airdrops">
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <ConnectWallet />
        {isConnected && !isHere && <SwitchNetwork chain={chain} />}
        {isHere && (
          <ul className="space-y-2">
            {strays.map((stray) => (
              <li key={stray.contract + stray.onchainId}>
                {stray.admin === me ? (
                  <ConfirmSend
                    label={
                      stray.isCancelled
                        ? `Take back the rest of ID ${stray.onchainId}`
                        : `Cancel ID ${stray.onchainId} and take it back`
                    }
                    title={`Take back ID ${stray.onchainId}?`}
                    text="Its claims stop for good, and its tokens are paid to the address below. This campaign stays as it is."
                    confirmLabel="Take back"
                    isBusy={isBusy}
                    onConfirm={(fields) => takeBack(stray, fields)}
                  >
                    {(problems) => <PaidTo address={address} problem={problems.to} />}
                  </ConfirmSend>
                ) : (
                  <p className="text-ink-muted">
                    Only its admin can cancel ID {stray.onchainId}. Connect{" "}
                    <Address address={stray.admin} />
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
        {state.step !== "idle" && state.kind === STRAY && (
          <SendStatus
            state={state}
            explorerUrl={chain.explorerUrl}
            minedText="In a block."
            onStop={settle}
          />
        )}
      </div>
    </Card>
  );
}
