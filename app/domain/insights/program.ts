/** The ranges of the program's figures, in weeks. */
export const PROGRAM_WEEKS = [12, 26, 52] as const;

export const PROGRAM_WEEKS_DEFAULT = PROGRAM_WEEKS[0];
export const PROGRAM_WEEKS_MAX = Math.max(...PROGRAM_WEEKS);

/** The figures of a week, in UTC. */
export interface ProgramWeek {
  /** The week's Monday, such as `2026-01-26`. */
  readonly week: string;
  /** Wallets whose first event lies in the week. */
  readonly newWallets: number;
  /** Wallets with an event in the week and an earlier one before it. */
  readonly returningWallets: number;
  readonly earnedPoints: number;
  /** Points of spends, without those that were reversed. */
  readonly spentPoints: number;
  /** Points that boosts added. They are among those that were earned. */
  readonly boostPoints: number;
  /** Calls that a cap refused. */
  readonly cappedCalls: number;
}

export type WeekFigure = Exclude<keyof ProgramWeek, "week">;

/** The names of the figures, in the order of their charts. */
export const WEEK_FIGURES: Readonly<Record<WeekFigure, string>> = {
  newWallets: "New wallets",
  returningWallets: "Returning wallets",
  earnedPoints: "Points earned",
  spentPoints: "Points spent",
  boostPoints: "Points from boosts",
  cappedCalls: "Calls rejected by caps",
};

export const listFigures = () => Object.keys(WEEK_FIGURES) as WeekFigure[];

/** The wallets whose points a season's top share counts. */
export const TOP_WALLETS = 10;

const DAY_MS = 86_400_000;

/**
 * Counts the days of a season, and those of them that have passed. A part of a day counts as one, once it has passed.
 * The times are those of the clocks in its time zone, as if they were in UTC: a day with a change of the clocks is one day.
 */
export function countSeasonDays(
  startsAt: Date,
  endsAt: Date,
  now: Date,
): { days: number; daysPassed: number } {
  const days = Math.ceil((endsAt.getTime() - startsAt.getTime()) / DAY_MS);
  if (now >= endsAt) return { days, daysPassed: days };
  const passed = Math.floor((now.getTime() - startsAt.getTime()) / DAY_MS);
  return { days, daysPassed: Math.max(0, passed) };
}
