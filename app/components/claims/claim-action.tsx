import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import type { Address as Wallet } from "../../domain/address";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { SwitchNetwork } from "../wallet/switch-network";
import type { ClaimChain } from "./claim-page";
import type { PageClaim } from "./use-token-claims";

/** Shows the next step of a claim. */
export function ClaimAction({
  claim,
  chain,
  address,
  isBusy,
  shortage,
  onClaim,
}: {
  claim: PageClaim;
  chain: ClaimChain;
  address: Wallet;
  isBusy: boolean;
  /** The notice that the wallet lacks gas. */
  shortage: ReactNode;
  onClaim: () => void;
}) {
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
          {shortage}
          <Button
            isBusy={isBusy}
            onClick={onClaim}
            aria-label={`Claim ${claim.entry.campaignName}`}
          >
            Claim
          </Button>
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
