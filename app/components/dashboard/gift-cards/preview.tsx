import { Address } from "../../ui/address";
import { Badge } from "../../ui/badge";
import { Card } from "../../ui/card";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Count } from "../../ui/local";

interface TierPreview {
  label: string;
  minPoints: number | null;
  eligible: number;
  served: number;
  inPool: number;
  missing: number;
}

interface ExcludedWallet {
  address: string;
  points: number;
  label: string;
}

export interface GiftCardPreviewProps {
  tiers: readonly TierPreview[];
  excluded: { count: number; wallets: readonly ExcludedWallet[] };
}

/**
 * Previews the distribution of a reward's cards.
 * @param props.pointsNote the points on which it rests, without a full stop
 * @param props.walletHref the path beneath which wallets have their pages
 */
export function GiftCardPreview({
  preview: { tiers, excluded },
  pointsNote,
  walletHref,
}: {
  preview: GiftCardPreviewProps;
  pointsNote: string;
  walletHref: string;
}) {
  const missing = tiers.reduce((sum, tier) => sum + tier.missing, 0);
  return (
    <>
      <Card
        heading="If distributed now"
        aside={
          missing > 0 ? (
            <>
              <Count value={missing} /> {missing === 1 ? "code is" : "codes are"} missing
            </>
          ) : (
            "There are enough codes"
          )
        }
      >
        <DataTable label="Preview" columns={COLUMNS} rows={tiers} getRowId={({ label }) => label} />
        <p className="border-line border-t px-4 py-3 text-ink-muted text-sm sm:px-5">
          {pointsNote}.
        </p>
      </Card>
      <Card
        heading="Left out"
        aside={
          excluded.count > excluded.wallets.length ? (
            <>
              The first <Count value={excluded.wallets.length} /> of{" "}
              <Count value={excluded.count} />
            </>
          ) : undefined
        }
      >
        <DataTable
          label="Left out"
          columns={[
            {
              label: "Wallet",
              cell: ({ address }) => <Address address={address} to={`${walletHref}/${address}`} />,
            },
            { label: "Reason", isFlexible: true, cell: () => "Blacklisted" },
            { label: "Tier", isSecondary: true, cell: ({ label }) => label },
            { label: "Points", align: "end", cell: ({ points }) => <Count value={points} /> },
          ]}
          rows={excluded.wallets}
          getRowId={({ address }) => address}
          emptyState={
            <EmptyState heading="No wallet is left out">
              No blacklisted wallet has the points for a tier.
            </EmptyState>
          }
        />
      </Card>
    </>
  );
}

const COLUMNS: readonly DataColumn<TierPreview>[] = [
  { label: "Tier", isFlexible: true, cell: ({ label }) => <span title={label}>{label}</span> },
  { label: "Would get a card", align: "end", cell: ({ eligible }) => <Count value={eligible} /> },
  {
    label: "Already have one",
    align: "end",
    isSecondary: true,
    cell: ({ served }) => <Count value={served} />,
  },
  { label: "In pool", align: "end", cell: ({ inPool }) => <Count value={inPool} /> },
  {
    label: "Missing",
    align: "end",
    cell: ({ missing }) =>
      missing === 0 ? (
        "0"
      ) : (
        <Badge tone="danger">
          <Count value={missing} />
        </Badge>
      ),
  },
];
