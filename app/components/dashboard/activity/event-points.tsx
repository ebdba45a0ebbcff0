import type { AppliedBoost } from "../../../domain/point-systems/boost";
import { Count, Decimal, SignedCount } from "../../ui/local";

/** Shows what an event added; of a boosted one also how, such as 10 × 2. */
export function EventPoints({ points, boost }: { points: number; boost: AppliedBoost | null }) {
  return (
    <>
      <SignedCount value={points} />
      {boost && (
        <div className="whitespace-nowrap text-xs text-ink-muted">
          <Count value={boost.basePoints} /> × <Decimal value={String(boost.factor)} />
        </div>
      )}
    </>
  );
}
