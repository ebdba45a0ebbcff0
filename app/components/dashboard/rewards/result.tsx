import type { ReactNode } from "react";
import { Card } from "../../ui/card";
import { Share } from "../../ui/local";

/**
 * Shows how much of a reward has reached its wallets.
 * @param props.label the verb of the share, as in "claimed"
 * @param props.share from 0 to 1
 * @param props.figures the numbers beneath, as `Figure`s
 */
export function RewardResult({
  label,
  share,
  figures,
  children,
}: {
  label: string;
  share: number;
  figures: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Card heading="Result">
      <div className="p-4 sm:p-5">
        <p className="text-2xl font-semibold tabular-nums tracking-tight">
          <Share value={share} />{" "}
          <span className="text-base font-normal text-ink-muted">{label}</span>
        </p>
        <div
          role="progressbar"
          aria-label={`Share ${label}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          className="mt-2 h-2.5 overflow-hidden rounded-full bg-sunken"
        >
          <div className="h-full rounded-full bg-fill" style={{ width: `${share * 100}%` }} />
        </div>
        <dl className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 lg:grid-cols-4">{figures}</dl>
        {children && <div className="mt-4 flex flex-wrap items-center gap-3">{children}</div>}
      </div>
    </Card>
  );
}
