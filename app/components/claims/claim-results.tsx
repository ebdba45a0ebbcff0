import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeAddressDoubt } from "../../domain/address-doubt";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { Count } from "../ui/local";
import { TableSkeleton } from "../ui/skeleton";
import type { ClaimPageData } from "./claim-page";
import {
  askService,
  type GiftCardEntry,
  SERVICE_QUERY,
  type TokenEntry,
  toRefusal,
  type WalletLookUp,
} from "./claim-service";
import { ClaimTotal } from "./claim-total";
import { GiftCard } from "./gift-card";
import { isSettledReward, OtherRewards } from "./other-rewards";
import { TokenGroup } from "./token-group";
import { getStatusInterval } from "./use-token-claims";

const describeCount = (rewards: number) =>
  `${rewards} ${rewards === 1 ? "reward" : "rewards"} of this wallet.`;

/** Shows all rewards of one wallet, by the typed address or name. */
export function ClaimResults({ page, wallet }: { page: ClaimPageData; wallet: string }) {
  const { id } = page.pointSystem;
  const lookUp = useQuery({
    queryKey: ["look-up", id, wallet],
    queryFn: () =>
      askService<WalletLookUp>(`/claim/${id}/wallet?wallet=${encodeURIComponent(wallet)}`),
    refetchInterval: ({ state }) => getStatusInterval(state.data?.distributions),
    ...SERVICE_QUERY,
  });
  const { data } = lookUp;
  const doubt = describeAddressDoubt(wallet);
  const hasFailed = lookUp.isError && data === undefined;
  return (
    <section aria-label="Rewards" className="grid gap-4">
      <p role="status" className="sr-only">
        {data
          ? describeCount(data.distributions.length)
          : hasFailed
            ? ""
            : "Looking up the wallet."}
      </p>
      {hasFailed ? (
        <Unreachable
          error={lookUp.error}
          canResolveNames={page.canResolveNames}
          onAgain={() => void lookUp.refetch()}
        />
      ) : data ? (
        <>
          {doubt && (
            <Alert tone="warning">{doubt} Compare it with its source before you go on.</Alert>
          )}
          <Found page={page} found={data} />
        </>
      ) : (
        <div className="rounded-xl border border-line bg-raised">
          <TableSkeleton rows={3} columns={1} />
          {lookUp.failureCount > 0 && (
            <p role="status" className="px-4 pb-4 text-sm text-ink-muted sm:px-5">
              {describeWait(lookUp.failureReason)}
            </p>
          )}
        </div>
      )}
    </section>
  );
}

/** Says why the page waits, and for how long where the service told. */
function describeWait(error: unknown): string {
  if (toRefusal(error).status !== 429) return "The service is slow to answer. Trying again…";
  return `${describeRefusal(error)} This page tries again by itself.`;
}

/** Says for how long the service refuses this network. */
function describeRefusal(error: unknown): string {
  const seconds = Math.ceil((toRefusal(error).retryAfterMs ?? 0) / 1_000);
  const wait = seconds === 1 ? "1 second" : `${seconds} seconds`;
  return `Too many look-ups came from this network.${seconds > 0 ? ` The next one is possible in ${wait}.` : ""}`;
}

function Unreachable({
  error,
  canResolveNames,
  onAgain,
}: {
  error: unknown;
  canResolveNames: boolean;
  onAgain: () => void;
}) {
  const { code } = toRefusal(error);
  if (code === "invalid_address_or_ens") {
    return <Alert>Enter a valid address{canResolveNames && " or ENS name"}.</Alert>;
  }
  const isName = code === "ens_unavailable";
  return (
    <div className="space-y-3">
      <Alert>
        {isName
          ? "ENS names are not available right now. Enter the wallet's address."
          : `${code === "too_many_requests" ? describeRefusal(error) : "The service does not answer right now."} This does not mean that the wallet has no rewards.`}
      </Alert>
      <Button variant="quiet" size="small" onClick={onAgain}>
        Try again
      </Button>
    </div>
  );
}

function Found({ page, found: overview }: { page: ClaimPageData; found: WalletLookUp }) {
  const { address, distributions: entries } = overview;
  const tokens = entries.filter((entry): entry is TokenEntry => entry.kind === "token");
  const cards = entries.filter((entry): entry is GiftCardEntry => entry.kind === "giftcard");
  const listed = new Set(entries.map(({ rewardId }) => rewardId));
  const others = overview.rewards.filter(({ rewardId }) => !listed.has(rewardId));
  const groups = groupTokens(tokens);
  // A claim that is made on the page stays where it is: only what was settled before is folded.
  const [settledIds] = useState(() => findSettled(tokens));
  const [settledPlace, setSettledPlace] = useState<Element | null>(null);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <span className="inline-flex items-center gap-2">
          <span className="text-ink-muted">Rewards of</span>
          <Address address={address} />
        </span>
        <span>
          <Count value={overview.points} /> {overview.points === 1 ? "point" : "points"}
        </span>
      </div>
      {overview.isBlacklisted && (
        <Alert>
          This wallet is excluded from the rewards of {page.pointSystem.name}. It gets no new
          rewards, and no gift card is shown to it. The contract still pays shares that are on chain
          already. If this looks wrong, ask the organisers.
        </Alert>
      )}
      <ClaimTotal entries={tokens} chains={page.chains} address={address} />
      {[...groups].map(([key, group]) => {
        const chain = page.chains.find(({ id }) => id === group[0]?.chainId);
        return (
          chain && (
            <TokenGroup
              key={key}
              chain={chain}
              entries={group}
              rewards={overview.rewards}
              address={address}
              settledIds={settledIds}
              settledPlace={settledPlace}
            />
          )
        );
      })}
      {cards.map((entry) => (
        <GiftCard
          key={entry.distributionId}
          entry={entry}
          address={address}
          path={`/claim/${page.pointSystem.id}`}
        />
      ))}
      <OtherRewards
        overview={overview}
        rewards={others.filter((reward) => !isSettledReward(reward, overview))}
      />
      <div ref={setSettledPlace} className="grid gap-2 empty:hidden" />
      <OtherRewards
        overview={overview}
        rewards={others.filter((reward) => isSettledReward(reward, overview))}
      />
      {entries.length === 0 && others.length === 0 && (
        <div className="rounded-xl border border-line bg-raised">
          <EmptyState heading="No rewards yet">
            Rewards of {page.pointSystem.name} appear here.
          </EmptyState>
        </div>
      )}
    </>
  );
}

/** Finds the shares that were claimed, or whose deadline has passed. */
function findSettled(tokens: readonly TokenEntry[]): ReadonlySet<string> {
  const settled = tokens.filter(
    ({ claimedAt, claimDeadline }) =>
      claimedAt !== null || (claimDeadline !== null && Date.parse(claimDeadline) < Date.now()),
  );
  return new Set(settled.map(({ distributionId }) => distributionId));
}

const toGroup = ({ chainId, contractAddress }: TokenEntry) => `${chainId} ${contractAddress}`;

/** Groups token rewards by the contract that pays them. */
function groupTokens(tokens: readonly TokenEntry[]): Map<string, TokenEntry[]> {
  const groups = new Map<string, TokenEntry[]>();
  for (const entry of tokens) {
    groups.set(toGroup(entry), [...(groups.get(toGroup(entry)) ?? []), entry]);
  }
  return groups;
}
