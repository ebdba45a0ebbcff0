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

/** Shows a page of the board. */
export function BoardTable({
  rows,
  makeWalletHref,
  markedAddress,
}: {
  rows: readonly Row[];
  makeWalletHref: (address: string) => string;
  markedAddress: string | null;
}) {
  const tied = findTies(rows);
  const columns: DataColumn<Row>[] = [
    { label: "Rank", align: "end", cell: ({ rank }) => <Count value={rank} /> },
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

/** Finds the points that several wallets of a page have; they stand beneath each other. */
function findTies(rows: readonly Row[]): ReadonlySet<number> {
  return new Set(
    rows.filter(({ points }, i) => points === rows[i - 1]?.points).map(({ points }) => points),
  );
}
