import type { PointsRange } from "../../domain/ledger/points";
import { Count } from "../ui/local";

interface Way {
  name: string;
  points: number;
  variable: PointsRange | null;
}

/** Lists the ways to earn points; none when the point system shows none. */
export function WaysToEarn({ ways }: { ways: readonly Way[] }) {
  if (ways.length === 0) return null;
  return (
    <section
      aria-labelledby="ways-to-earn"
      className="mt-5 rounded-xl border border-line bg-raised p-4 shadow-sm"
    >
      <h2 id="ways-to-earn" className="font-semibold">
        How to earn points
      </h2>
      <ul className="mt-2 grid gap-x-8 gap-y-1.5 text-sm sm:grid-cols-2">
        {ways.map(({ name, points, variable }) => (
          <li key={`${name} ${points}`} className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 break-words">{name}</span>
            <span className="shrink-0 whitespace-nowrap font-medium tabular-nums text-accent">
              {variable ? (
                <>
                  <Count value={variable.min} /> to <Count value={variable.max} />
                </>
              ) : (
                <>
                  +<Count value={points} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
