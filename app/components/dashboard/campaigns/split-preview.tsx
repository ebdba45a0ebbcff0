import type { ReactNode } from "react";
import { Address } from "../../ui/address";
import { Card } from "../../ui/card";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Figure } from "../../ui/fact";
import { Count } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";

interface Share {
  address: string;
  points: number;
  amountWei: bigint;
}

export interface SplitPreviewProps {
  wallets: number;
  totalWeight: bigint;
  cappedWallets: number;
  excluded: { belowMinimum: number; withoutPoints: number; blacklisted: number };
  medianWei: bigint;
  smallestWei: bigint;
  largest: readonly Share[];
  bins: readonly { fromWeight: number; fromWei: bigint; toWei: bigint; wallets: number }[];
}

interface Token {
  tokenDecimals: number;
  tokenSymbol: string;
}

/**
 * Previews the result of a split, were it made now.
 * @param props.pointsNote the points that count, and whether they still change
 * @param props.walletHref the path beneath which the campaign's wallets have their pages
 */
export function SplitPreview({
  preview,
  token,
  minPoints,
  pointsNote,
  walletHref,
}: {
  preview: SplitPreviewProps;
  token: Token;
  minPoints: number;
  pointsNote: string;
  walletHref: string;
}) {
  const { wallets, totalWeight, cappedWallets, excluded, largest, bins } = preview;
  const amount = (amountWei: bigint): ReactNode => (
    <TokenAmount amountWei={amountWei} token={token} />
  );
  return (
    <>
      <Card heading="If split now" aside={pointsNote}>
        {wallets === 0 ? (
          <EmptyState heading="No wallet is eligible now">
            No wallet outside the blacklist has enough points.
          </EmptyState>
        ) : (
          <dl className="grid grid-cols-2 gap-4 p-4 sm:grid-cols-4 sm:p-5">
            <Figure label="Wallets">
              <Count value={wallets} />
            </Figure>
            <Figure label="Total eligible points">
              <Count value={Number(totalWeight)} />
            </Figure>
            <Figure label="Median">{amount(preview.medianWei)}</Figure>
            <Figure label="Smallest">{amount(preview.smallestWei)}</Figure>
          </dl>
        )}
        <ul className="space-y-1 border-t border-line p-4 text-sm text-ink-muted sm:px-5">
          <Excluded count={excluded.belowMinimum}>
            left out with fewer than <Count value={minPoints} /> points
          </Excluded>
          <Excluded count={excluded.withoutPoints}>left out without points</Excluded>
          <Excluded count={excluded.blacklisted}>left out by the blacklist</Excluded>
          {cappedWallets > 0 && (
            <Excluded count={cappedWallets}>counted only up to the maximum points</Excluded>
          )}
        </ul>
      </Card>
      {wallets > 0 && (
        <div className="grid gap-6 lg:grid-cols-2">
          <Card heading="Distribution of amounts">
            <div className="py-3">
              <Histogram bins={bins} token={token} />
            </div>
          </Card>
          <Card heading="Largest amounts" aside={`Top ${largest.length}`}>
            <DataTable
              label="Largest amounts"
              columns={makeColumns(token, walletHref)}
              rows={largest}
              getRowId={({ address }) => address}
            />
          </Card>
        </div>
      )}
    </>
  );
}

function makeColumns(token: Token, walletHref: string): readonly DataColumn<Share>[] {
  return [
    {
      label: "Wallet",
      isFlexible: true,
      cell: ({ address }) => <Address address={address} to={`${walletHref}/${address}`} />,
    },
    {
      label: "Points",
      align: "end",
      isSecondary: true,
      cell: ({ points }) => <Count value={points} />,
    },
    {
      label: "Amount",
      align: "end",
      cell: ({ amountWei }) => <TokenAmount amountWei={amountWei} token={token} />,
    },
  ];
}

function Excluded({ count, children }: { count: number; children: ReactNode }) {
  return (
    <li>
      <span className="font-medium text-ink">
        <Count value={count} />
      </span>{" "}
      {count === 1 ? "wallet" : "wallets"} {children}
    </li>
  );
}

/** Draws a table whose middle column shows the number of its row as a bar. */
function Histogram({ bins, token }: { bins: SplitPreviewProps["bins"]; token: Token }) {
  const most = Math.max(...bins.map(({ wallets }) => wallets));
  return (
    <table aria-label="Wallets by amount" className="w-full text-sm">
      <thead className="sr-only">
        <tr>
          <th scope="col">Amount</th>
          <th scope="col">Wallets</th>
        </tr>
      </thead>
      <tbody>
        {bins.map(({ fromWeight, fromWei, toWei, wallets }) => (
          <tr key={fromWeight}>
            <th
              scope="row"
              className="w-2/5 py-1.5 pl-4 pr-3 text-right text-xs font-normal text-ink-muted sm:pl-5"
            >
              <TokenAmount amountWei={fromWei} token={{ ...token, tokenSymbol: "" }} />
              {fromWei !== toWei && (
                <>
                  {" to "}
                  <TokenAmount amountWei={toWei} token={{ ...token, tokenSymbol: "" }} />
                </>
              )}
            </th>
            <td className="py-1.5 pr-4 sm:pr-5">
              <div className="flex items-center gap-2">
                <span
                  aria-hidden="true"
                  className="h-4 min-w-px rounded-sm bg-accent/70"
                  style={{ width: `${(wallets / most) * 75}%` }}
                />
                <span className="tabular-nums">
                  <Count value={wallets} />
                </span>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
