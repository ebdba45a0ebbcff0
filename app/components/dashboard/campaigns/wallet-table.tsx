import { Address } from "../../ui/address";
import { Badge } from "../../ui/badge";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Count } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";

interface Wallet {
  address: string;
  points: number | null;
  amountWei: bigint;
  claimedAt: Date | null;
}

/** Lists the wallets among which a campaign is split. */
export function CampaignWalletTable({
  wallets,
  token,
  base,
  isSplit,
}: {
  wallets: readonly Wallet[];
  token: { tokenDecimals: number; tokenSymbol: string };
  /** The path beneath which the wallets have their pages. */
  base: string;
  isSplit: boolean;
}) {
  const columns: readonly DataColumn<Wallet>[] = [
    {
      label: "Wallet",
      isFlexible: true,
      cell: ({ address }) => <Address isRowLink address={address} to={`${base}/${address}`} />,
    },
    {
      label: "Points",
      align: "end",
      isSecondary: true,
      cell: ({ points }) => (points === null ? "–" : <Count value={points} />),
    },
    {
      label: "Amount",
      align: "end",
      cell: ({ amountWei }) => <TokenAmount amountWei={amountWei} token={token} />,
    },
    {
      label: "State",
      cell: ({ claimedAt }) =>
        claimedAt ? <Badge tone="success">Claimed</Badge> : <Badge>Unclaimed</Badge>,
    },
  ];
  return (
    <DataTable
      label="Wallets"
      columns={columns}
      rows={wallets}
      getRowId={({ address }) => address}
      emptyState={
        <EmptyState heading="No wallet has a share yet">
          {isSplit
            ? "They appear here when the split is built."
            : "The preview shows every wallet's amount. The split makes it final."}
        </EmptyState>
      }
    />
  );
}
