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
  const columns: DataColumn<Row>[] = [
    { label: "Rank", align: "end", cell: ({ rank }) => <Count value={rank} /> },
    {
      label: "Wallet",
      isFlexible: true,
      cell: ({ address }) => <Address address={address} to={makeWalletHref(address)} />,
    },
    {
      label: "Events",
      align: "end",
      isSecondary: true,
      cell: ({ events }) => <Count value={events} />,
    },
    { label: "Points", align: "end", cell: ({ points }) => <Count value={points} /> },
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
          A wallet appears here with its first points.
        </EmptyState>
      }
    />
  );
}
