import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Address } from "../../domain/address";
import type { ClaimReward } from "../../domain/claims/overview";
import { Button } from "../ui/button";
import { useSafeApp } from "../wallet/safe-app";
import { SendStatus } from "../wallet/send-status";
import { useSend } from "../wallet/use-send";
import { toClaimCall } from "./claim-call";
import type { ClaimChain } from "./claim-page";
import { askService, type TokenEntry } from "./claim-service";
import { TokenCard } from "./token-card";
import { type PageClaim, useTokenClaims } from "./use-token-claims";

/** Shows an address's claims in one contract. Its transactions are sent one after the other. */
export function TokenGroup({
  chain,
  entries,
  rewards,
  address,
}: {
  chain: ClaimChain;
  entries: readonly TokenEntry[];
  rewards: readonly ClaimReward[];
  address: Address;
}) {
  const queries = useQueryClient();
  const contract = entries[0]?.contractAddress ?? "0x";
  const { state, send, settle } = useSend({
    key: `claim:${chain.id}:${contract}:${address}`,
    chainId: chain.id,
    onMined: ({ hash }) => {
      void queries.invalidateQueries({ queryKey: ["on-chain"] });
      // The hint makes the service look at the chain sooner; without it the claim is found all the
      // same.
      void askService("/claim/hint", { chainId: chain.id, txHash: hash })
        .catch(() => {})
        .then(() => queries.invalidateQueries({ queryKey: ["claim-status"] }));
    },
  });
  const claims = useTokenClaims(entries, address, state.step === "owners");
  const sentIds = state.step === "idle" ? [] : state.kind.split(",");
  const isBusy = state.step !== "idle" && state.step !== "mined" && state.step !== "failed";
  const claimable = claims.filter(({ stage }) => stage === "claimable");
  // The hash is kept until the service knows it as well, so that a reload still shows it.
  const isRecorded =
    state.step === "mined" &&
    claims.every(
      ({ entry }) => !sentIds.includes(entry.distributionId) || entry.claimTxHash !== null,
    );
  const isSafeApp = useSafeApp() !== null;
  // Not every wallet reports the transaction that it sent. The chain then shows that the claim is
  // done.
  const isDoneSomehow =
    state.step === "owners" &&
    !isSafeApp &&
    claims.every(
      ({ entry, stage }) => !sentIds.includes(entry.distributionId) || stage === "claimed",
    );
  useEffect(() => {
    if (isRecorded || isDoneSomehow) settle();
  }, [isRecorded, isDoneSomehow, settle]);
  const claim = (chosen: readonly PageClaim[]) => {
    const kind = chosen.map(({ entry }) => entry.distributionId).join(",");
    void send(kind, toClaimCall(contract, chosen));
  };
  const status = state.step !== "idle" && state.step !== "mined" && (
    <SendStatus state={state} explorerUrl={chain.explorerUrl} minedText="" onStop={settle} />
  );
  return (
    <>
      {claimable.length > 1 && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-accent/30 bg-accent/10 p-4 sm:px-5">
          <p className="text-sm">
            {claimable.length} rewards on {chain.name} can be claimed in one transaction.
          </p>
          <Button isBusy={isBusy} onClick={() => claim(claimable)}>
            Claim all {claimable.length}
          </Button>
        </div>
      )}
      {claims.map((one, i) => {
        const isSent = sentIds.includes(one.entry.distributionId);
        return (
          <TokenCard
            key={one.entry.distributionId}
            claim={one}
            chain={chain}
            address={address}
            reward={rewards.find(({ rewardId }) => rewardId === one.entry.rewardId)}
            sentHash={isSent && state.step === "mined" ? state.hash : null}
            isBusy={isBusy}
            isSending={isBusy && isSent}
            // Among claims that were sent together, the first one shows the status.
            status={
              isSent && claims.findIndex((c) => sentIds.includes(c.entry.distributionId)) === i
                ? status
                : null
            }
            onClaim={() => claim([one])}
          />
        );
      })}
    </>
  );
}
