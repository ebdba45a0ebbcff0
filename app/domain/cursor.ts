/** The direction in which a list continues from a place in it. */
export type CursorSide = "older" | "newer";

/** A place in a list that is newest first, by date, then by id: the rows beyond it are wanted. */
export interface Cursor {
  readonly side: CursorSide;
  readonly date: Date;
  readonly id: string;
}

const CURSOR_PATTERN = /^(\d{1,14})\.(.{1,64})$/;

/** Writes a row's place, as `parseCursor` reads it. */
export function formatCursor({ date, id }: Pick<Cursor, "date" | "id">): string {
  return `${date.getTime()}.${id}`;
}

/**
 * Reads a row's place.
 * @param parseId reads the row's kind of id; null when the text is not one
 * @returns null when the text is not a place
 */
export function parseCursor(
  text: string,
  side: CursorSide,
  parseId: (text: string) => string | null,
): Cursor | null {
  const [, dateMs = "", idText = ""] = CURSOR_PATTERN.exec(text) ?? [];
  const id = parseId(idText);
  return id === null ? null : { side, date: new Date(Number(dateMs)), id };
}
