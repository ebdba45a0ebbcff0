import { lazy, Suspense, useState } from "react";
import { Count, UtcDay } from "../local";
import { Cell, Table } from "../table";
import { type ChartProps, ChartSketch } from "./chart-sketch";

// A deployment takes the old files away under an open page: it keeps its sketch then.
const LineChart = lazy(() => import("./line-chart").catch(() => ({ default: ChartSketch })));

/**
 * Values of days (`2026-11-01`, in UTC) as a chart, and as a table for those whom a chart does not
 * serve. The server draws it; the library with which one can point at a day is as large as the rest
 * of the page, and is loaded when somebody points.
 */
export function DailyChart({
  label,
  unit,
  data,
  kind = "bar",
  heightPx = 240,
}: {
  label: string;
  kind?: ChartProps["kind"];
  heightPx?: number;
} & Pick<ChartProps, "unit" | "data">) {
  const [isPointedAt, setIsPointedAt] = useState(false);
  const sketch = <ChartSketch data={data} kind={kind} heightPx={heightPx} />;
  return (
    <div>
      <div
        aria-hidden="true"
        style={{ minHeight: heightPx }}
        onPointerEnter={() => setIsPointedAt(true)}
      >
        {isPointedAt ? (
          <Suspense fallback={sketch}>
            <LineChart unit={unit} data={data} kind={kind} heightPx={heightPx} />
          </Suspense>
        ) : (
          sketch
        )}
      </div>
      <details className="mt-2 text-sm">
        <summary className="inline-block min-h-6 cursor-pointer rounded text-ink-muted hover:text-ink">
          Show as table
        </summary>
        {/* The keyboard scrolls only what it can reach. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <section aria-label={label} tabIndex={0} className="mt-2 max-h-80 overflow-y-auto">
          <Table label={label} columns={[{ label: "Day" }, { label: unit, align: "end" }]}>
            {data.map(({ day, value }) => (
              <tr key={day}>
                <Cell>
                  <UtcDay day={day} />
                </Cell>
                <Cell align="end">
                  <Count value={value} />
                </Cell>
              </tr>
            ))}
          </Table>
        </section>
      </details>
    </div>
  );
}
