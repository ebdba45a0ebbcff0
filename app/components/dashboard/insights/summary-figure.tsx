import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Count, Share } from "../../ui/local";

/**
 * Shows a number of the overview's head.
 * @param props.note the line beneath: its change, or its mean
 * @param props.aside the course of the number
 */
export function SummaryFigure({
  label,
  value,
  note,
  aside,
}: {
  label: string;
  value: number;
  note?: ReactNode;
  aside?: ReactNode;
}) {
  return (
    <div className="rounded-xl border border-line bg-raised px-4 py-3 shadow-sm sm:px-5">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd>
        <div className="mt-0.5 flex items-end justify-between gap-3">
          <span className="max-w-full shrink-0 break-all text-xl font-semibold tabular-nums">
            <Count value={value} />
          </span>
          {aside && <span className="flex min-w-0 flex-1 justify-end">{aside}</span>}
        </div>
        {note && <div className="mt-1 text-xs text-ink-muted">{note}</div>}
      </dd>
    </div>
  );
}

/** Shows by how much a number differs from the same number of the days before. */
export function Change({ now, before, days }: { now: number; before: number; days: number }) {
  const change = before === 0 ? 0 : now / before - 1;
  const Icon = change < 0 ? ArrowDown : ArrowUp;
  return (
    <>
      {Math.abs(change) < 0.0005 ? (
        "Same as"
      ) : (
        <span className={`inline-flex items-center gap-0.5 ${change < 0 ? "" : "text-success"}`}>
          <Icon aria-hidden="true" className="size-3" />
          <span className="sr-only">{change < 0 ? "down " : "up "}</span>
          <Share value={Math.abs(change)} />
        </span>
      )}{" "}
      {Math.abs(change) < 0.0005 ? "" : "on "}the {days} days before
    </>
  );
}
