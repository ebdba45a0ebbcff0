import {
  Area,
  Bar,
  CartesianGrid,
  ComposedChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { ChartProps } from "./lazy-chart";
import { Count, UtcDay } from "./local";

const ACCENT = "rgb(var(--color-accent))";
const TICK = { fill: "rgb(var(--color-ink-muted))", fontSize: 12 };

/** The plot itself, with the library that draws it: loaded by `DailyChart` when it is needed. */
export default function LineChart({ data, unit, kind, heightPx }: ChartProps) {
  const dayFormat = new Intl.DateTimeFormat(undefined, {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
  const countFormat = new Intl.NumberFormat(undefined, { notation: "compact" });
  return (
    <ResponsiveContainer
      width="100%"
      height={heightPx}
      initialDimension={{ width: 320, height: heightPx }}
    >
      <ComposedChart
        data={[...data]}
        margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        // The table beneath says the same to those who cannot see or point.
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="rgb(var(--color-line))" />
        <XAxis
          dataKey="day"
          tickFormatter={(day: string) => dayFormat.format(new Date(day))}
          tick={TICK}
          tickLine={false}
          axisLine={{ stroke: "rgb(var(--color-line))" }}
          minTickGap={24}
        />
        <YAxis
          width={44}
          tickFormatter={(value: number) => countFormat.format(value)}
          tick={TICK}
          tickLine={false}
          axisLine={false}
          allowDecimals={false}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={kind === "bar" ? { fill: "rgb(var(--color-sunken))" } : { stroke: ACCENT }}
          content={({ active, label, payload }) =>
            active && payload[0] ? (
              <div className="rounded-lg border border-line bg-raised px-3 py-2 text-xs shadow-lg">
                <div className="text-ink-muted">
                  <UtcDay day={String(label)} />
                </div>
                <div className="mt-0.5 font-medium tabular-nums">
                  <Count value={Number(payload[0].value)} /> {unit}
                </div>
              </div>
            ) : null
          }
        />
        {kind === "bar" ? (
          <Bar
            dataKey="value"
            fill={ACCENT}
            radius={[3, 3, 0, 0]}
            maxBarSize={32}
            isAnimationActive={false}
          />
        ) : (
          <Area
            dataKey="value"
            type="linear"
            stroke={ACCENT}
            strokeWidth={2}
            fill={ACCENT}
            fillOpacity={0.12}
            isAnimationActive={false}
          />
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}
