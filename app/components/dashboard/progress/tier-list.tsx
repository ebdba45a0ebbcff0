import type { Tier } from "../../../domain/progress/tier";
import { TierBadge } from "../../progress/tier-badge";
import { EmptyState } from "../../ui/empty-state";
import { Count } from "../../ui/local";

/** Lists the tiers of a point system, the highest first. */
export function TierList({ tiers }: { tiers: readonly Tier[] }) {
  if (tiers.length === 0) {
    return (
      <EmptyState heading="No tiers yet">
        A tier names what a wallet has reached: Bronze from 100 points, Gold from 1,000.
      </EmptyState>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {tiers.toReversed().map((tier) => (
        <li
          key={tier.name}
          className="flex items-center justify-between gap-3 px-4 py-2.5 text-sm sm:px-5"
        >
          <TierBadge tier={tier} />
          <span className="text-ink-muted">
            from <Count value={tier.pointsMin} /> {tier.pointsMin === 1 ? "point" : "points"}
          </span>
        </li>
      ))}
    </ul>
  );
}
