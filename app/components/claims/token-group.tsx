import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { createPortal } from "react-dom";
import type { Address } from "../../domain/address";
import { addUpByToken } from "../../domain/claims/add-up";
import type { ClaimReward } from "../../domain/claims/overview";
import { Button } from "../ui/button";
import { TokenAmount } from "../ui/token-amount";
import { useSafeApp } from "../wallet/safe-app";
import { SendStatus } from "../wallet/send-status";
import { useSend } from "../wallet/use-send";
import { CLAIMS_AT_ONCE_MAX, toClaimCall } from "./claim-call";
import type { ClaimChain } from "./claim-page";
import { askService, type TokenEntry } from "./claim-service";
import { isReady } from "./claim-stage";
import { GasShortage, useGasShortage } from "./gas-shortage";
import { TokenCard } from "./token-card";
import { type PageClaim, useTokenClaims } from "./use-token-claims";

/** The time for a receipt to be found, once the chain says that everything sent is claimed. */
const RECEIPT_MS = 5_000;

/**
 * Shows an address's claims in one contract. Its transactions are sent one after the other.
 * @param props.settledIds the claims that were settled when the page found them: one folded line each
 * @param props.settledPlace the element that holds these lines; null until it is there
 */
export function TokenGroup({
  chain,
  entries,
  rewards,
  address,
  settledIds,
  settledPlace,
}: {
  chain: ClaimChain;
  entries: readonly TokenEntry[];
  rewards: readonly ClaimReward[];
  address: Address;
  settledIds: ReadonlySet<string>;
  settledPlace: Element | null;
}) {
  const queries = useQueryClient();
  const contract = entries[0]?.contractAddress ?? "0x";
  const { state, send, settle } = useSend({
    key: `claim:${chain.id}:${contract}:${address}`,
    chainId: chain.id,
    paymasterUrl: chain.paymasterUrl,
    onMined: ({ hash }) => {
      void queries.invalidateQueries({ queryKey: ["on-chain"] });
      // The hint makes the service look at the chain sooner; without it the claim is found all the
      // same.
      void askService("/claim/hint", { chainId: chain.id, txHash: hash })
        .catch(() => {})
        .then(() => queries.invalidateQueries({ queryKey: ["look-up"] }));
    },
  });
  const sentIds = state.step === "idle" ? [] : state.kind.split(",");
  const isSent = ({ entry }: PageClaim) => sentIds.includes(entry.distributionId);
  const isPending = ["owners", "sponsored", "mining"].includes(state.step);
  const minedIds = state.step === "mined" ? sentIds : [];
  const claims = useTokenClaims(entries, address, isPending, minedIds);
  const isBusy = state.step !== "idle" && state.step !== "mined" && state.step !== "failed";
  const claimable = claims.filter(({ stage }) => stage === "claimable");
  const together = claimable.slice(0, CLAIMS_AT_ONCE_MAX);
  const isEach = together.length === claimable.length;
  // The hash is kept until the service knows it as well, so that a reload still shows it.
  const isRecorded =
    state.step === "mined" && claims.every((one) => !isSent(one) || one.entry.claimTxHash !== null);
  const isSafeApp = useSafeApp() !== null;
  // Not every wallet reports the transaction that it sent, and a sped-up one has another hash. The
  // chain then shows that the claim is done.
  const isDoneSomehow =
    isPending &&
    !(isSafeApp && state.step === "owners") &&
    claims.every((one) => !isSent(one) || one.stage === "claimed");
  const settlesAfterMs = isRecorded || (isDoneSomehow && state.step === "owners") ? 0 : RECEIPT_MS;
  const isDone = isRecorded || isDoneSomehow;
  // A claim that is refused may have been paid by another way: the chain and the service know.
  const isRefused = state.step === "failed";
  useEffect(() => {
    if (!isRefused) return;
    void queries.invalidateQueries({ queryKey: ["on-chain"] });
    void queries.invalidateQueries({ queryKey: ["look-up"] });
  }, [isRefused, queries]);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(settle, settlesAfterMs);
    return () => clearTimeout(timer);
  }, [isDone, settlesAfterMs, settle]);
  const claim = (chosen: readonly PageClaim[], to: Address | null = null) => {
    const kind = chosen.map(({ entry }) => entry.distributionId).join(",");
    void send(kind, toClaimCall(contract, chosen, to));
  };
  const gas = useGasShortage(together, chain, address);
  // Said once: with several claims where they are sent together, with one on its card.
  const shortage = !isBusy && <GasShortage chain={chain} shortage={gas} />;
  const status = state.step !== "idle" && state.step !== "mined" && (
    <SendStatus state={state} explorerUrl={chain.explorerUrl} minedText="" onStop={settle} />
  );
  // No card shows the status of several claims that were sent together.
  const statusOfAll = sentIds.length > 1 && status;
  return (
    <>
      {(claimable.length > 1 || statusOfAll) && (
        <div className="space-y-3 rounded-xl border border-accent/30 bg-accent/10 p-4 text-sm sm:px-5">
          {claimable.length > 1 && (
            <div className="flex flex-wrap items-center justify-between gap-3">
              <div>
                <p className="flex flex-wrap gap-x-4 text-lg font-semibold tracking-tight">
                  <TokenSums entries={together.map(({ entry }) => entry)} />
                </p>
                <p>
                  {claimable.length} rewards on {chain.name} can be claimed
                  {isEach ? " in" : `, ${together.length} of them in`} one transaction.
                </p>
              </div>
              <Button isBusy={isBusy} onClick={() => claim(together)}>
                Claim {isEach ? "all" : "the first"} {together.length}
              </Button>
            </div>
          )}
          {claimable.length > 1 && shortage}
          {statusOfAll}
        </div>
      )}
      {claims.map((one) => {
        const wasSent = isSent(one);
        const isFolded = settledIds.has(one.entry.distributionId) && !isReady(one.stage);
        const card = (
          <TokenCard
            key={one.entry.distributionId}
            claim={one}
            chain={chain}
            address={address}
            reward={rewards.find(({ rewardId }) => rewardId === one.entry.rewardId)}
            isFolded={isFolded}
            sentHash={wasSent && state.step === "mined" ? state.hash : null}
            isBusy={isBusy}
            shortage={claimable.length === 1 && shortage}
            status={wasSent && !statusOfAll ? status : null}
            onClaim={(to) => claim([one], to)}
          />
        );
        if (!isFolded) return card;
        return settledPlace && createPortal(card, settledPlace, one.entry.distributionId);
      })}
    </>
  );
}

/** Shows the sum of each token. */
export function TokenSums({ entries }: { entries: readonly TokenEntry[] }) {
  return addUpByToken(entries).map(({ amountWei, ...token }, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: sums of two tokens may look the same
    <TokenAmount key={i} amountWei={amountWei} token={token} />
  ));
}
