import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import type { Hex } from "viem";
import type { Address as Wallet } from "../../domain/address";
import { isNativeCoin } from "../../domain/campaigns/native-coin";
import type { ClaimReward } from "../../domain/claims/overview";
import { Badge } from "../ui/badge";
import { Card } from "../ui/card";
import { CopyTextButton } from "../ui/copy-button";
import { Fact } from "../ui/fact";
import { TokenAmount } from "../ui/token-amount";
import { AddToken } from "./add-token";
import { ClaimAction } from "./claim-action";
import type { ClaimChain } from "./claim-page";
import type { ClaimStage } from "./claim-stage";
import { Deadline } from "./deadline";
import { OwnProof } from "./own-proof";
import { PayElsewhere } from "./pay-elsewhere";
import type { PageClaim } from "./use-token-claims";
import { WhyAmount } from "./why-amount";

type Tone = NonNullable<Parameters<typeof Badge>[0]["tone"]>;

const BADGES: Record<ClaimStage, readonly [string, Tone]> = {
  "proof-building": ["Proof is being built", "accent"],
  unfunded: ["Not funded yet", "neutral"],
  loading: ["Checking the chain…", "neutral"],
  "service-unreachable": ["Unknown", "danger"],
  "chain-unreachable": ["Unknown", "danger"],
  unverified: ["Not verified", "danger"],
  claimed: ["Claimed", "success"],
  confirming: ["Being confirmed", "accent"],
  cancelled: ["Cancelled", "danger"],
  "deadline-passed": ["Deadline passed", "neutral"],
  connect: ["Ready to claim", "accent"],
  "other-account": ["Ready to claim", "accent"],
  "wrong-network": ["Ready to claim", "accent"],
  claimable: ["Ready to claim", "accent"],
};

/** Shows a wallet's share of an airdrop: its amount, its check against the chain, and its claim. */
export function TokenCard({
  claim,
  chain,
  address,
  reward,
  isFolded,
  sentHash,
  isBusy,
  shortage,
  status,
  onClaim,
}: {
  claim: PageClaim;
  chain: ClaimChain;
  address: Wallet;
  reward: ClaimReward | undefined;
  /** Whether the card is one line until the reader opens it. */
  isFolded: boolean;
  /** The hash of the claim that was just mined. */
  sentHash: Hex | null;
  isBusy: boolean;
  /** The notice that the wallet lacks gas for this claim alone. */
  shortage: ReactNode;
  status: ReactNode;
  /** @param to the address that is paid; the wallet itself when left out */
  onClaim: (to?: Wallet) => void;
}) {
  const { entry, stage, tree, isVerified } = claim;
  const [word, tone] = BADGES[stage];
  const amountWei = BigInt(entry.amountWei);
  const reason = reward?.share?.reason;
  return (
    <Card
      heading={entry.campaignName}
      isFolded={isFolded}
      aside={
        <span className="flex flex-wrap items-baseline justify-end gap-x-3 gap-y-1">
          {isFolded && <TokenAmount amountWei={amountWei} token={entry} />}
          <Badge tone={tone}>{word}</Badge>
        </span>
      }
    >
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <p className="text-xl font-semibold tracking-tight sm:text-2xl">
          <TokenAmount amountWei={amountWei} token={entry} />
        </p>
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-ink-muted">
          <li>{chain.name}</li>
          <li>
            {entry.claimDeadline && "Claim until "}
            <Deadline iso={entry.claimDeadline} timeZone={reward?.deadlineTimeZone ?? null} />
          </li>
          <li className={isVerified ? "text-success" : ""}>
            {isVerified ? "✓ Verified against the chain" : "Not verified yet"}
          </li>
        </ul>
        <ClaimAction
          claim={claim}
          chain={chain}
          address={address}
          isBusy={isBusy}
          shortage={shortage}
          onClaim={() => onClaim()}
        />
        {status}
        <p role="status" className="sr-only">
          {stage === "claimed" && `${entry.campaignName} is claimed.`}
        </p>
        {stage === "claimed" && <Claimed claim={claim} chain={chain} sentHash={sentHash} />}
        {stage === "claimable" && (
          <Details summary="Pay to another address">
            <PayElsewhere
              claim={claim}
              chain={chain}
              address={address}
              isBusy={isBusy}
              onClaim={onClaim}
            />
          </Details>
        )}
        {reason && (
          <Details summary="Why this amount">
            <WhyAmount reason={reason} amountWei={amountWei} token={entry} />
          </Details>
        )}
        {tree && (
          <Details summary="Claim without this page">
            <OwnProof claim={claim} address={address} file={reward?.treeFile ?? null} />
          </Details>
        )}
        {tree && (
          <Details summary="How it is verified">
            <p>
              Your browser computed both from the wallet, the amount and the proof
              {isVerified
                ? ", and the contract holds tokens for this root."
                : ". The contract does not know this root."}
            </p>
            <p className="mt-2">
              Anyone may pay the gas of this claim. The amount then arrives at this wallet, even if
              you did not ask for it, and nowhere else.
            </p>
            <dl className="mt-2 space-y-2">
              <Fact label="Leaf">
                <code className="break-all font-mono text-xs">{tree.leaf}</code>
              </Fact>
              <Fact label="Root">
                <code className="break-all font-mono text-xs">{tree.root}</code>
              </Fact>
              <Fact label="Contract">
                <ExplorerLink href={`${chain.explorerUrl}/address/${entry.contractAddress}`}>
                  {`${entry.contractAddress.slice(0, 6)}…${entry.contractAddress.slice(-4)}`}
                </ExplorerLink>
              </Fact>
              <Fact label="ID in the contract">{entry.onchainId}</Fact>
            </dl>
          </Details>
        )}
      </div>
    </Card>
  );
}

function Claimed({
  claim: { entry },
  chain,
  sentHash,
}: {
  claim: PageClaim;
  chain: ClaimChain;
  sentHash: Hex | null;
}) {
  const { tokenAddress, tokenSymbol, tokenDecimals, claimedAt } = entry;
  const hash = entry.claimTxHash ?? sentHash;
  return (
    <div className="space-y-3">
      {sentHash && (
        <p className="flex items-center gap-3 rounded-lg bg-success/10 p-3 font-medium">
          <CircleCheck aria-hidden="true" className="size-6 shrink-0 text-success" />
          <span>
            You claimed <TokenAmount amountWei={BigInt(entry.amountWei)} token={entry} />
          </span>
        </p>
      )}
      <p>
        This was paid out
        {claimedAt && (
          <>
            {" on "}
            <Deadline iso={claimedAt} />
          </>
        )}
        {!claimedAt && sentHash && ". It is being confirmed: a chain can drop its newest blocks"}.{" "}
        {hash && (
          <ExplorerLink href={`${chain.explorerUrl}/tx/${hash}`}>
            {`Transaction ${hash.slice(0, 10)}…`}
          </ExplorerLink>
        )}
      </p>
      <div className="flex flex-wrap items-start gap-3">
        {/* Without the wallet: its readers look for their own. */}
        <CopyTextButton
          text={`${window.location.origin}${window.location.pathname}`}
          label="Copy link to share"
        />
        {tokenAddress && !isNativeCoin(tokenAddress) && (
          <AddToken address={tokenAddress} symbol={tokenSymbol} decimals={tokenDecimals} />
        )}
      </div>
    </div>
  );
}

function ExplorerLink({ href, children }: { href: string; children: string }) {
  return (
    <a
      href={href}
      rel="noreferrer"
      target="_blank"
      className="inline-flex min-h-6 items-center font-mono text-[0.8125rem] text-accent underline"
    >
      {children}
      <span className="sr-only"> (in the explorer, a new tab)</span>
    </a>
  );
}

function Details({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details className="border-t border-line pt-3">
      <summary className="min-h-6 cursor-pointer font-medium">{summary}</summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}
