import { useId } from "react";
import {
  Area,
  Bar,
  CartesianGrid,
  Cell,
  ComposedChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { Count, UtcDay } from "../local";
import {
  CHART_MARGIN,
  type ChartProps,
  getNamedDays,
  getTicks,
  Hatch,
  useAxisFormats,
} from "./chart-sketch";

const TICK = { fill: "rgb(var(--color-ink-muted))", fontSize: 12 };

/** Draws the plot itself, with the charts library: `DailyChart` loads it when it is needed. */
export default function LineChart({
  data,
  period,
  unit,
  kind,
  heightPx,
  hue = "accent",
}: ChartProps) {
  const hatchId = useId();
  const color = `rgb(var(--color-${hue}))`;
  const { formatDay, formatValue } = useAxisFormats();
  const ticks = getTicks(data.map(({ value }) => value));
  return (
    <ResponsiveContainer
      width="100%"
      height={heightPx}
      initialDimension={{ width: 320, height: heightPx }}
    >
      <ComposedChart
        data={[...data]}
        margin={{ top: CHART_MARGIN.top, right: CHART_MARGIN.right, bottom: 0, left: 0 }}
        // The table beneath holds the same data for readers who cannot see or point.
        accessibilityLayer={false}
      >
        <defs style={{ fill: color }}>
          <Hatch id={hatchId} period={6} />
        </defs>
        <CartesianGrid vertical={false} stroke="rgb(var(--color-line))" />
        <XAxis
          dataKey="day"
          height={CHART_MARGIN.bottom}
          padding={{ left: 0, right: 0 }}
          ticks={getNamedDays(data)}
          interval={0}
          tickFormatter={formatDay}
          tick={TICK}
          tickLine={false}
          axisLine={{ stroke: "rgb(var(--color-line))" }}
        />
        <YAxis
          width={CHART_MARGIN.left}
          domain={[0, ticks[2]]}
          ticks={ticks}
          tickFormatter={formatValue}
          tick={TICK}
          tickLine={false}
          axisLine={false}
          allowDecimals
        />
        <Tooltip
          isAnimationActive={false}
          cursor={kind === "bar" ? { fill: "rgb(var(--color-sunken))" } : { stroke: color }}
          content={({ active, label, payload }) =>
            active && payload[0] ? (
              <div className="rounded-lg border border-line bg-raised px-3 py-2 text-xs shadow-lg">
                <div className="text-ink-muted">
                  {period === "week" && "Week from "}
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
            fill={color}
            radius={[3, 3, 0, 0]}
            maxBarSize={32}
            isAnimationActive={false}
          >
            {data.map(({ day }, i) => (
              <Cell key={day} fill={i === data.length - 1 ? `url(#${hatchId})` : color} />
            ))}
          </Bar>
        ) : (
          <Area
            dataKey="value"
            type="linear"
            stroke={color}
            strokeWidth={2}
            fill={color}
            fillOpacity={0.12}
            isAnimationActive={false}
          />
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}
