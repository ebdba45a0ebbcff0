import { useId } from "react";
import { useIsHydrated } from "../../hooks/use-is-hydrated";

type ChartHue = "accent" | "chart-2";

const HUE_CLASSES: Record<ChartHue, string> = {
  accent: "fill-accent stroke-accent",
  "chart-2": "fill-chart-2 stroke-chart-2",
};

export interface ChartProps {
  /** The counted thing, in the plural, as in "12 points". */
  unit: string;
  /** The values of days, or of the weeks that begin on these days. */
  data: readonly { day: string; value: number }[];
  period?: "day" | "week" | undefined;
  kind: "bar" | "line";
  /** The series' colour: a page with several charts tells them apart by it. */
  hue?: ChartHue | undefined;
  heightPx: number;
}

// The margins of the plot within the chart. They are the same for the sketch and for the library's
// drawing, so that nothing moves when one replaces the other.
export const CHART_MARGIN = { top: 8, right: 8, bottom: 30, left: 44 } as const;

const SERVER_LOCALE = "en";
const STEPS = [1, 2, 4, 6, 8, 10] as const;

/**
 * Returns the values at which the chart has a line: zero, the middle, and a round number above the
 * largest.
 */
export function getTicks(values: readonly number[]): [number, number, number] {
  const largest = Math.max(2, ...values);
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = STEPS.find((each) => each * power >= largest) ?? 10;
  const top = step * power;
  return [0, top / 2, top];
}

/** Returns the days that the chart names: the first, the middle one and the last. */
export function getNamedDays(data: ChartProps["data"]): string[] {
  const last = data.length - 1;
  const indexes = new Set([0, Math.floor(last / 2), last]);
  return [...indexes].flatMap((index) => data[index]?.day ?? []);
}

/** Returns the formats of the axes for days and values. */
export function useAxisFormats() {
  const locale = useIsHydrated() ? undefined : SERVER_LOCALE;
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const value = new Intl.NumberFormat(locale, { notation: "compact" });
  return {
    formatDay: (text: string) => day.format(new Date(text)),
    formatValue: (number: number) => value.format(number),
  };
}

/** Draws a chart without tooltips. The server renders it, so it is there with the page. */
export function ChartSketch({
  data,
  kind,
  heightPx,
  hue = "accent",
}: Omit<ChartProps, "unit" | "period">) {
  const hatchId = useId();
  const { formatDay, formatValue } = useAxisFormats();
  const ticks = getTicks(data.map(({ value }) => value));
  const [, , top] = ticks;
  const { top: topPx, right, bottom, left } = CHART_MARGIN;
  const toHeight = (value: number) => (100 * value) / top;
  // In per cent of the width: bars are side by side, a line goes from edge to edge.
  const toCentre = (i: number) =>
    kind === "bar" ? (100 * (i + 0.5)) / data.length : (100 * i) / Math.max(1, data.length - 1);
  return (
    <div className="relative text-xs text-ink-muted" style={{ height: heightPx }}>
      <div className="absolute" style={{ top: topPx, right, bottom, left }}>
        {ticks.map((tick) => (
          <div
            key={tick}
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: `${toHeight(tick)}%` }}
          >
            <span className="absolute right-full -translate-y-1/2 pr-2">{formatValue(tick)}</span>
          </div>
        ))}
        <svg
          aria-hidden="true"
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          className={`absolute inset-0 size-full ${HUE_CLASSES[hue]}`}
        >
          <Hatch id={hatchId} period={3} />
          {kind === "bar" ? (
            data.map(({ day, value }, i) => (
              <rect
                key={day}
                x={toCentre(i) - 36 / data.length}
                width={72 / data.length}
                y={100 - toHeight(value)}
                height={toHeight(value)}
                stroke="none"
                // Today is not over yet.
                {...(i === data.length - 1 && { fill: `url(#${hatchId})` })}
              />
            ))
          ) : (
            <Area points={data.map(({ value }, i) => `${toCentre(i)},${100 - toHeight(value)}`)} />
          )}
        </svg>
        {getNamedDays(data).map((day) => (
          <span
            key={day}
            className={`absolute top-full whitespace-nowrap pt-2 ${day === data.at(-1)?.day ? "-translate-x-full" : "-translate-x-1/2"}`}
            // The last name ends at the plot's edge, or the card would cut it off.
            style={{
              left: `${day === data.at(-1)?.day ? 100 : toCentre(data.findIndex((each) => each.day === day))}%`,
            }}
          >
            {formatDay(day)}
          </span>
        ))}
      </div>
    </div>
  );
}

/**
 * Fills what is not complete yet with stripes in the series' colour. They lie flat, since the sketch
 * is stretched sideways.
 * @param props.period the height of a stripe and its gap, in the drawing's units
 */
export function Hatch({ id, period }: { id: string; period: number }) {
  return (
    <pattern id={id} width="100" height={period} patternUnits="userSpaceOnUse">
      <rect width="100" height={period} stroke="none" fillOpacity={0.25} />
      <rect width="100" height={period / 2} stroke="none" />
    </pattern>
  );
}

/** Draws the values as a line over an area. The way to today is dashed: the day is not over. */
function Area({ points }: { points: readonly string[] }) {
  const line = { fill: "none", strokeWidth: 2, vectorEffect: "non-scaling-stroke" } as const;
  return (
    <>
      <polygon points={`0,100 ${points.join(" ")} 100,100`} stroke="none" fillOpacity={0.12} />
      <polyline points={points.slice(0, -1).join(" ")} {...line} />
      <polyline points={points.slice(-2).join(" ")} strokeDasharray="3 3" {...line} />
    </>
  );
}
