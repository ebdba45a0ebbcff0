import type { ReactNode } from "react";
import { Address } from "../../ui/address";
import { Badge } from "../../ui/badge";
import { DataTable } from "../../ui/data-table";
import { Ago } from "../../ui/local";

export interface Recipient {
  id: string;
  address: string;
  tier: string;
  date: Date;
  isRevealed: boolean;
  claimedAt: Date | null;
}

export interface Reveal {
  id: string;
  address: string;
  tier: string;
  date: Date;
  network: string;
  userAgent: string;
}

interface ListProps<Row> {
  rows: readonly Row[];
  /** The path beneath which wallets have their pages. */
  walletHref: string;
  /** When the rows were read, in milliseconds since 1970. */
  now: number;
  emptyState: ReactNode;
}

/** Lists the recipients of a reward's cards. */
export function RecipientTable({ rows, walletHref, now, emptyState }: ListProps<Recipient>) {
  return (
    <DataTable
      label="Recipients"
      columns={[
        {
          label: "Wallet",
          cell: ({ address }) => <Address address={address} to={`${walletHref}/${address}`} />,
        },
        { label: "Tier", isFlexible: true, cell: ({ tier }) => <span title={tier}>{tier}</span> },
        { label: "Assigned", isSecondary: true, cell: ({ date }) => <Ago date={date} now={now} /> },
        {
          label: "Code",
          cell: ({ isRevealed, claimedAt }) =>
            isRevealed ? (
              <Badge tone="success">
                Revealed{" "}
                {claimedAt && (
                  <span className="hidden sm:ml-1 sm:inline">
                    <Ago date={claimedAt} now={now} />
                  </span>
                )}
              </Badge>
            ) : (
              <Badge>Not revealed</Badge>
            ),
        },
      ]}
      rows={rows}
      getRowId={({ id }) => id}
      emptyState={emptyState}
    />
  );
}

/** Lists the reveals of a reward's codes. */
export function RevealTable({ rows, walletHref, now, emptyState }: ListProps<Reveal>) {
  return (
    <DataTable
      label="Reveals"
      columns={[
        {
          label: "Wallet",
          cell: ({ address }) => <Address address={address} to={`${walletHref}/${address}`} />,
        },
        { label: "Tier", isFlexible: true, cell: ({ tier }) => <span title={tier}>{tier}</span> },
        { label: "Browser", isSecondary: true, cell: ({ userAgent }) => userAgent },
        {
          label: "Network",
          isSecondary: true,
          cell: ({ network }) => <span className="font-mono text-xs">{network}</span>,
        },
        { label: "When", cell: ({ date }) => <Ago date={date} now={now} /> },
      ]}
      rows={rows}
      getRowId={({ id }) => id}
      emptyState={emptyState}
    />
  );
}
