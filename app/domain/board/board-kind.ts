/** The boards that repeat, by their windows' length, and seasons. */
export const BOARD_KINDS = ["daily", "weekly", "monthly", "season"] as const;

export type BoardKind = (typeof BOARD_KINDS)[number];
