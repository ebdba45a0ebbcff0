import { Link } from "@remix-run/react";
import type { Tier } from "../../../domain/progress/tier";
import { TierBadge } from "../../progress/tier-badge";
import { EmptyState } from "../../ui/empty-state";
import { Count, Share } from "../../ui/local";
import { Cell, Table } from "../../ui/table";
import { getSectionPath } from "../shell/sections";

const COLUMNS = [
  { label: "Tier" },
  { label: "Least points", align: "end" },
  { label: "Wallets", align: "end" },
  { label: "Share", align: "end" },
] as const;

/** Shows how many wallets of the all-time board have each tier. */
export function TierHolders({
  pointSystemId,
  holders,
}: {
  pointSystemId: string;
  holders: readonly { tier: Tier | null; wallets: number }[];
}) {
  if (holders.length === 0) {
    return (
      <EmptyState heading="No tiers yet">
        <Link to={getSectionPath(pointSystemId, "progress")} className="text-accent underline">
          Name what wallets reach by their points
        </Link>
      </EmptyState>
    );
  }
  const all = holders.reduce((sum, { wallets }) => sum + wallets, 0);
  return (
    <Table label="Holders by tier" columns={COLUMNS}>
      {holders.map(({ tier, wallets }) => {
        const share = wallets / Math.max(1, all);
        return (
          <tr key={tier?.pointsMin ?? ""}>
            <Cell>{tier ? <TierBadge tier={tier} /> : "No tier yet"}</Cell>
            <Cell align="end">{tier && <Count value={tier.pointsMin} />}</Cell>
            <Cell align="end">
              <Count value={wallets} />
            </Cell>
            <Cell align="end">
              <Share value={share} />
              <div aria-hidden="true" className="ml-auto mt-1.5 h-1 w-14 rounded-full bg-sunken">
                <div
                  className="h-full rounded-full bg-accent"
                  style={{ width: `${share * 100}%` }}
                />
              </div>
            </Cell>
          </tr>
        );
      })}
    </Table>
  );
}
