import { parseUuid } from "../uuid";

/** The points that a reward counts, as its terms store them. */
export interface CountedPoints {
  /** The board whose points are counted, by its name in calls, or `BALANCE`; null for all points. */
  readonly pointsBoard: string | null;
  /** The window of that board. */
  readonly pointsWindowId: string | null;
  /** The first campaign of a family in which no point is counted twice; null for a campaign that is the first. */
  readonly familyId: string | null;
}

/** Stands for what wallets have left of their points, in place of a board's name. */
export const BALANCE = "balance";

/** The form of a reward's board: its name with its window, such as `weekly:2026-W47` or `season:spring`, or `BALANCE`. */
export const POINTS_BOARD_PATTERN =
  /^(?:balance|(?:season|daily|weekly|monthly):[0-9A-Za-z-]{1,100})$/;

/** Checks the form of a choice of points: empty for all, a board's name, `BALANCE`, or the id of a campaign. */
export function isPointsChoice(text: string): boolean {
  return text === "" || POINTS_BOARD_PATTERN.test(text) || parseUuid(text) !== null;
}

/** Describes the points for the audit log; nothing for all points. */
export function describeCountedPoints({
  pointsBoard,
  familyId,
}: CountedPoints): Readonly<Record<string, string>> {
  return {
    ...(pointsBoard === null ? {} : { pointsBoard }),
    ...(familyId === null ? {} : { pointsAfter: familyId }),
  };
}
