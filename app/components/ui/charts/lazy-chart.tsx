import { lazy, Suspense, useState } from "react";
import { Count, UtcDay } from "../local";
import { Cell, Table } from "../table";
import { type ChartProps, ChartSketch } from "./chart-sketch";

// A deployment removes the old files under an open page, which then keeps its sketch.
const LineChart = lazy(() => import("./line-chart").catch(() => ({ default: ChartSketch })));

/**
 * Shows values of days (`2026-11-01`, in UTC) or of weeks as a chart, and as a table for readers who cannot use
 * the chart. The server draws the chart. The library that adds tooltips is as large as the rest of
 * the page, and is loaded when the pointer enters the chart.
 */
export function DailyChart({
  label,
  unit,
  data,
  period = "day",
  kind = "bar",
  heightPx = 240,
  hue,
}: {
  label: string;
  kind?: ChartProps["kind"];
  heightPx?: number;
} & Pick<ChartProps, "unit" | "data" | "hue" | "period">) {
  const [isPointedAt, setIsPointedAt] = useState(false);
  const sketch = <ChartSketch data={data} kind={kind} heightPx={heightPx} hue={hue} />;
  return (
    <div>
      <div
        aria-hidden="true"
        style={{ minHeight: heightPx }}
        onPointerEnter={() => setIsPointedAt(true)}
      >
        {isPointedAt ? (
          <Suspense fallback={sketch}>
            <LineChart {...{ unit, data, period, kind, heightPx, hue }} />
          </Suspense>
        ) : (
          sketch
        )}
      </div>
      <details className="mt-2 text-sm">
        <summary className="inline-block min-h-6 cursor-pointer rounded text-ink-muted hover:text-ink">
          Show as table
        </summary>
        {/* The keyboard scrolls only elements that it can reach. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <section aria-label={label} tabIndex={0} className="mt-2 max-h-80 overflow-y-auto">
          <Table
            label={label}
            columns={[
              { label: period === "day" ? "Day" : "Week from" },
              { label: unit, align: "end" },
            ]}
          >
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
