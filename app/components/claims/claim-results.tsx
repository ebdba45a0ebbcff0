import { useQuery } from "@tanstack/react-query";
import type { Address as Wallet } from "../../domain/address";
import type { ClaimOverview } from "../../domain/claims/overview";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { Count } from "../ui/local";
import { TableSkeleton } from "../ui/skeleton";
import type { ClaimPageData } from "./claim-page";
import {
  askService,
  type ClaimStatus,
  type GiftCardEntry,
  SERVICE_QUERY,
  type TokenEntry,
  toRefusal,
} from "./claim-service";
import { GiftCard } from "./gift-card";
import { OtherRewards } from "./other-rewards";
import { TokenGroup } from "./token-group";
import { getStatusInterval } from "./use-token-claims";

const describeCount = (rewards: number) =>
  `${rewards} ${rewards === 1 ? "reward" : "rewards"} of this wallet.`;

/** Shows all rewards of one wallet, by the typed address or name. */
export function ClaimResults({ page, wallet }: { page: ClaimPageData; wallet: string }) {
  const { id } = page.pointSystem;
  const overview = useQuery({
    queryKey: ["overview", id, wallet],
    queryFn: () =>
      askService<ClaimOverview>(`/claim/${id}/wallet?wallet=${encodeURIComponent(wallet)}`),
    ...SERVICE_QUERY,
  });
  const address = overview.data?.address ?? null;
  const status = useQuery({
    queryKey: ["claim-status", id, address],
    queryFn: () =>
      askService<ClaimStatus>(`/rewards/claim-status?address=${address}&pointSystemId=${id}`),
    enabled: address !== null,
    refetchInterval: ({ state }) => getStatusInterval(state.data?.distributions),
    ...SERVICE_QUERY,
  });
  const failed = [overview, status].find(({ isError, data }) => isError && data === undefined);
  const isThere = overview.data !== undefined && status.data !== undefined;
  return (
    <section aria-label="Rewards" className="grid gap-4">
      <p role="status" className="sr-only">
        {isThere
          ? describeCount(status.data.distributions.length)
          : failed
            ? ""
            : "Looking up the wallet."}
      </p>
      {failed ? (
        <Unreachable error={failed.error} onAgain={() => void failed.refetch()} />
      ) : isThere && address ? (
        <Found
          page={page}
          overview={overview.data}
          entries={status.data.distributions}
          address={address}
        />
      ) : (
        <div className="rounded-xl border border-line bg-raised">
          <TableSkeleton rows={3} columns={1} />
          {(overview.failureCount > 0 || status.failureCount > 0) && (
            <p role="status" className="px-4 pb-4 text-sm text-ink-muted sm:px-5">
              The service is slow to answer. Trying again…
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function Unreachable({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const { code, text } = toRefusal(error);
  if (code === "invalid_address_or_ens") {
    return <Alert>Enter a valid address or ENS name.</Alert>;
  }
  const isName = code === "ens_unavailable";
  return (
    <div className="space-y-3">
      <Alert>
        {isName
          ? "ENS names are not available right now. Enter the wallet's address."
          : `${code === "too_many_requests" ? text : "The service does not answer right now."} This does not mean that the wallet has no rewards.`}
      </Alert>
      <Button variant="quiet" size="small" onClick={onAgain}>
        Try again
      </Button>
    </div>
  );
}

function Found({
  page,
  overview,
  entries,
  address,
}: {
  page: ClaimPageData;
  overview: ClaimOverview;
  entries: ClaimStatus["distributions"];
  address: Wallet;
}) {
  const tokens = entries.filter((entry): entry is TokenEntry => entry.kind === "token");
  const cards = entries.filter((entry): entry is GiftCardEntry => entry.kind === "giftcard");
  const listed = new Set(entries.map(({ rewardId }) => rewardId));
  const others = overview.rewards.filter(({ rewardId }) => !listed.has(rewardId));
  const groups = groupTokens(tokens);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <Address address={address} />
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
      <OtherRewards overview={overview} rewards={others} />
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

const toGroup = ({ chainId, contractAddress }: TokenEntry) => `${chainId} ${contractAddress}`;

/** Groups token rewards by the contract that pays them. */
function groupTokens(tokens: readonly TokenEntry[]): Map<string, TokenEntry[]> {
  const groups = new Map<string, TokenEntry[]>();
  for (const entry of tokens) {
    groups.set(toGroup(entry), [...(groups.get(toGroup(entry)) ?? []), entry]);
  }
  return groups;
}
