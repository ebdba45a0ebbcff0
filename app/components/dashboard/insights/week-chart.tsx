import type { ReactNode } from "react";
import { type ProgramWeek, WEEK_FIGURES, type WeekFigure } from "../../../domain/insights/program";
import { DailyChart } from "../../ui/charts/lazy-chart";
import { EmptyState } from "../../ui/empty-state";
import { ChartCard } from "./chart-card";

/** The unit of each figure, its meaning, and the sentence for weeks without any. */
const TEXTS: Readonly<Record<WeekFigure, { unit: string; note: string; empty: string }>> = {
  newWallets: {
    unit: "wallets",
    note: "Wallets with their first event in the week.",
    empty: "A wallet is new in the week of its first event.",
  },
  returningWallets: {
    unit: "wallets",
    note: "Wallets with an event in the week and an earlier one before it.",
    empty: "A wallet returns when it has an event in a later week than its first.",
  },
  earnedPoints: {
    unit: "points",
    note: "Credits, grants and imports, without voided events.",
    empty: "Points appear here when a trigger is fired.",
  },
  spentPoints: {
    unit: "points",
    note: "Spends, without reversed ones.",
    empty: "Points that wallets spend appear here.",
  },
  boostPoints: {
    unit: "points",
    note: "The part of the earned points that boosts added.",
    empty: "Points that a boost adds to credits appear here.",
  },
  cappedCalls: {
    unit: "calls",
    note: "Calls beyond a trigger's cap. No points were added.",
    empty: "Calls beyond a trigger's cap appear here.",
  },
};

/** Shows a figure of the program by week, as a chart with its table and its file. */
export function WeekChart({
  figure,
  weeks,
  file,
}: {
  figure: WeekFigure;
  weeks: readonly ProgramWeek[];
  /** The link to the file. */
  file: ReactNode;
}) {
  const label = WEEK_FIGURES[figure];
  const { unit, note, empty } = TEXTS[figure];
  const isEmpty = weeks.every((week) => week[figure] === 0);
  return (
    <ChartCard heading={label} aside={file}>
      {isEmpty ? (
        <EmptyState heading="Nothing in these weeks">{empty}</EmptyState>
      ) : (
        <>
          <p className="mb-3 text-sm text-ink-muted">{note}</p>
          <DailyChart
            label={label}
            unit={unit}
            period="week"
            heightPx={200}
            hue={unit === "points" ? "accent" : "chart-2"}
            data={weeks.map((week) => ({ day: week.week, value: week[figure] }))}
          />
        </>
      )}
    </ChartCard>
  );
}
