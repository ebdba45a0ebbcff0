import { Link } from "@remix-run/react";
import { useQuery } from "@tanstack/react-query";
import { formatEther } from "viem";
import { estimateContractGas } from "viem/actions";
import { useConfig } from "wagmi";
import { estimateFeesPerGas, getBalance } from "wagmi/actions";
import type { Address as Wallet } from "../../domain/address";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { isContractWallet } from "../wallet/contract-wallet";
import { hasSponsor } from "../wallet/sponsor";
import { SwitchNetwork } from "../wallet/switch-network";
import { toClaimCall } from "./claim-call";
import type { ClaimChain } from "./claim-page";
import type { PageClaim } from "./use-token-claims";

/** Shows the next step of a claim. */
export function ClaimAction({
  claim,
  chain,
  address,
  isBusy,
  isSending,
  onClaim,
}: {
  claim: PageClaim;
  chain: ClaimChain;
  address: Wallet;
  isBusy: boolean;
  isSending: boolean;
  onClaim: () => void;
}) {
  const shortage = useGasShortage(claim, chain, address);
  switch (claim.stage) {
    case "proof-building":
      return <p>The proof is not ready yet. This page checks again every few seconds.</p>;
    case "unfunded":
      return (
        <p>
          The organisers have not put the tokens of this share into the contract yet. It can be
          claimed here once they have.
        </p>
      );
    case "loading":
      return <p className="text-ink-muted">Checking the amount against {chain.name}…</p>;
    case "service-unreachable":
      return <Problem text="The proof is not available right now. Nothing is lost." {...claim} />;
    case "chain-unreachable":
      return (
        <Problem
          text={`${chain.name} does not answer right now, so the amount cannot be checked. Nothing is lost.`}
          {...claim}
        />
      );
    case "unverified":
      return (
        <Problem
          text="The contract does not know this share and would not pay it. If it was added a moment ago, try again. Otherwise ask the organisers."
          {...claim}
        />
      );
    case "claimed":
      return null;
    case "confirming":
      return <p>The claim is in a block. This page asks {chain.name} until it shows there.</p>;
    case "cancelled":
      return <p>The campaign was cancelled on chain and no longer pays. Ask the organisers.</p>;
    case "deadline-passed":
      return <p>The deadline has passed and the contract no longer pays. Ask the organisers.</p>;
    case "connect":
      return <p>Connect this wallet above to claim.</p>;
    case "other-account":
      return (
        <p>
          Another wallet is connected. Only <Address address={address} /> can claim this. Switch the
          account in the wallet, or{" "}
          <Link to="." className="text-accent underline">
            look at the connected wallet
          </Link>
          .
        </p>
      );
    case "wrong-network":
      return <SwitchNetwork chain={chain} />;
    case "claimable":
      return (
        <div className="space-y-3">
          {shortage.data && !isSending && (
            <Alert>
              The wallet does not hold enough {chain.nativeSymbol} for gas on {chain.name}: it takes
              about {formatCoin(shortage.data.neededWei)} {chain.nativeSymbol}, and holds{" "}
              {formatCoin(shortage.data.heldWei)}. Send it some, then check again. If somebody else
              pays your wallet's gas, claim as it is.
            </Alert>
          )}
          <div className="flex flex-wrap gap-2">
            <Button
              isBusy={isBusy}
              onClick={onClaim}
              aria-label={`Claim ${claim.entry.campaignName}`}
            >
              Claim
            </Button>
            {shortage.data && !isSending && (
              <Button
                variant="quiet"
                isBusy={shortage.isFetching}
                onClick={() => void shortage.refetch()}
              >
                Check again
              </Button>
            )}
          </div>
        </div>
      );
  }
}

function Problem({ text, tryAgain }: { text: string; tryAgain: () => void }) {
  return (
    <div className="space-y-3">
      <Alert>{text}</Alert>
      <Button size="small" variant="quiet" onClick={tryAgain}>
        Try again
      </Button>
    </div>
  );
}

function formatCoin(wei: bigint): string {
  return Number(formatEther(wei)).toLocaleString("en", { maximumSignificantDigits: 3 });
}

/**
 * Returns the balance and the gas cost when the wallet cannot pay for the gas; null when it can, or
 * when it is not known.
 */
function useGasShortage(
  claim: PageClaim,
  { id: chainId, paymasterUrl }: ClaimChain,
  account: Wallet,
) {
  const config = useConfig();
  const { entry, stage } = claim;
  return useQuery({
    queryKey: ["gas", chainId, account, entry.distributionId],
    enabled: stage === "claimable",
    retry: false,
    networkMode: "always",
    queryFn: async () => {
      // The account that executes a contract wallet's transaction pays its gas.
      if (await isContractWallet(config, account, chainId)) return null;
      if (await hasSponsor(config, account, chainId, paymasterUrl)) return null;
      const heldWei = (await getBalance(config, { address: account, chainId: chainId as never }))
        .value;
      const client = config.getClient({ chainId: chainId as never });
      const [gas, { maxFeePerGas }] = await Promise.all([
        estimateContractGas(client, {
          ...toClaimCall(entry.contractAddress, [claim]),
          account,
        } as never),
        estimateFeesPerGas(config, { chainId: chainId as never }),
      ]);
      const neededWei = gas * (maxFeePerGas ?? 0n);
      return heldWei < neededWei ? { heldWei, neededWei } : null;
    },
  });
}
