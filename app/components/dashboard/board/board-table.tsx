import { ArrowDown, ArrowUp } from "lucide-react";
import { Address } from "../../ui/address";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Count } from "../../ui/local";

interface Row {
  rank: number;
  address: string;
  points: number;
  events: number;
}

/**
 * Shows a page of the board.
 * @param props.before earlier ranks, to show what changed since
 */
export function BoardTable({
  rows,
  makeWalletHref,
  markedAddress,
  before = null,
}: {
  rows: readonly Row[];
  makeWalletHref: (address: string) => string;
  markedAddress: string | null;
  before?: {
    label: string;
    ranks: Readonly<Record<string, number>>;
    isComplete: boolean;
  } | null;
}) {
  const tied = findTies(rows);
  const columns: DataColumn<Row>[] = [
    { label: "Rank", align: "end", cell: ({ rank }) => <Count value={rank} /> },
    ...(before
      ? [
          {
            label: `Since ${before.label}`,
            isSecondary: true,
            cell: ({ rank, address }: Row) => (
              <RankChange
                rank={rank}
                before={before.ranks[address]}
                isNew={before.isComplete && before.ranks[address] === undefined}
              />
            ),
          },
        ]
      : []),
    {
      label: "Wallet",
      isFlexible: true,
      cell: ({ address }) => <Address isRowLink address={address} to={makeWalletHref(address)} />,
    },
    {
      label: "Events",
      align: "end",
      isSecondary: true,
      cell: ({ events }) => <Count value={events} />,
    },
    {
      label: "Points",
      align: "end",
      cell: ({ points }) => (
        <>
          {tied.has(points) && (
            <span
              title="As many points as another wallet: the lower address is ahead"
              className="mr-2 text-xs text-ink-muted"
            >
              Tied
            </span>
          )}
          <Count value={points} />
        </>
      ),
    },
  ];
  return (
    <DataTable
      label="Leaderboard"
      columns={columns}
      rows={rows}
      getRowId={({ address }) => address}
      markedRowId={markedAddress}
      emptyState={
        <EmptyState heading="No wallets on the board yet">
          A wallet appears here once it has points or is registered.
        </EmptyState>
      }
    />
  );
}

/** Shows by how many places a wallet moved since then. */
function RankChange({
  rank,
  before,
  isNew,
}: {
  rank: number;
  before: number | undefined;
  isNew: boolean;
}) {
  if (isNew) return <span className="text-ink-muted">New</span>;
  if (before === undefined) {
    return (
      <span className="text-ink-muted" title="It was not among the first 1,000 then">
        <span aria-hidden="true">–</span>
        <span className="sr-only">not known</span>
      </span>
    );
  }
  if (rank === before) return <span className="text-ink-muted">Same</span>;
  const isUp = rank < before;
  const Icon = isUp ? ArrowUp : ArrowDown;
  return (
    <span className={`inline-flex items-center gap-0.5 ${isUp ? "text-success" : ""}`}>
      <Icon aria-hidden="true" className="size-3.5" />
      <span className="sr-only">{isUp ? "up " : "down "}</span>
      <Count value={Math.abs(before - rank)} />
    </span>
  );
}

/** Finds the points that several wallets of a page have; they stand beneath each other. */
function findTies(rows: readonly Row[]): ReadonlySet<number> {
  return new Set(
    rows.filter(({ points }, i) => points === rows[i - 1]?.points).map(({ points }) => points),
  );
}
