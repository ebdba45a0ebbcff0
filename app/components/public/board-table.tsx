import { shortenAddress } from "../../domain/address";
import { TierBadge } from "../progress/tier-badge";
import { Address } from "../ui/address";
import { EmptyState } from "../ui/empty-state";
import { Count } from "../ui/local";
import { Cell, Table } from "../ui/table";
import { WalletMark } from "../ui/wallet-mark";
import { useChangedRows } from "./use-changed-rows";

interface Standing {
  address: string;
  points: number;
  events: number;
  rank: number;
  tier?: { name: string; color: string } | null;
}

const COLUMNS = [
  { label: "Rank", align: "end" },
  { label: "Wallet" },
  { label: "Points", align: "end" },
  { label: "Events", align: "end" },
] as const;

/**
 * Shows a page of a public board. Rows that changed light up for a moment.
 * @param props.page tells the pages of boards apart
 * @param props.markedAddress the wallet that the reader searched for
 * @param props.isCompact whether it is for a small frame on another site: it has nothing to press
 */
export function BoardTable({
  leaderboard,
  page,
  markedAddress = null,
  isCompact = false,
}: {
  leaderboard: readonly Standing[];
  page: string;
  markedAddress?: string | null;
  isCompact?: boolean;
}) {
  const changed = useChangedRows(leaderboard, page);
  if (leaderboard.length === 0) {
    return (
      <EmptyState heading="No wallets on the board yet">
        A wallet appears here once it has points or is registered.
      </EmptyState>
    );
  }
  return (
    // Ranks stay close to the edge, and nothing moves when a rank gets longer.
    <div className="[&_td:first-child]:w-20 [&_th:first-child]:w-20">
      <Table label="Leaderboard" columns={isCompact ? COLUMNS.slice(0, 3) : COLUMNS}>
        {leaderboard.map(({ address, points, events, rank, tier }) => {
          const isMarked = address === markedAddress;
          return (
            <tr
              key={address}
              id={isMarked ? "wallet" : undefined}
              data-changed={changed.has(address) || undefined}
              className={`relative ${isMarked ? "bg-accent/10 font-medium" : ""}`}
            >
              <Cell align="end">
                {changed.has(address) && <Flash key={`${points} ${events}`} />}
                <Count value={rank} />
              </Cell>
              <Cell>
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  {isCompact ? <PlainAddress address={address} /> : <Address address={address} />}
                  {tier && <TierBadge tier={tier} />}
                </span>
                {isMarked && <span className="sr-only">The wallet you searched for</span>}
              </Cell>
              <Cell align="end">
                <Count value={points} />
              </Cell>
              {!isCompact && (
                <Cell align="end">
                  <Count value={events} />
                </Cell>
              )}
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

/** Shows a wallet's address with nothing to press. */
function PlainAddress({ address }: { address: string }) {
  return (
    <span
      title={address}
      className="inline-flex items-center gap-1.5 whitespace-nowrap font-mono text-[0.8125rem]"
    >
      <WalletMark address={address} className="size-4" />
      {shortenAddress(address)}
    </span>
  );
}

/** Lights up the row for a moment. Readers who prefer reduced motion do not see it. */
function Flash() {
  return (
    <span
      aria-hidden="true"
      className="pointer-events-none absolute inset-0 bg-accent/20 opacity-0 motion-safe:animate-flash"
    />
  );
}
