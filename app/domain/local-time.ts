// Moments as people write them: a local time and its time zone.

const LOCAL_PATTERN = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?$/;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Checks whether a text names a time zone, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(text: string): boolean {
  // Some versions accept offsets such as `+02:00`, which have no daylight saving time.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/**
 * Lists the time zones to choose from, `UTC` first.
 * @param known the zone that was chosen before, which the platform may list under another name
 */
export function listTimeZones(known: string | null = null): string[] {
  const zones = ["UTC", ...(known ? [known] : []), ...Intl.supportedValuesOf("timeZone")];
  return [...new Set(zones)];
}

/**
 * Reads a local time.
 * @param text as a `datetime-local` field has it: `2026-11-01T18:30`, with or without seconds
 * @param timeZone the zone of the clock that shows it
 * @returns the moment. Of the two moments that a time has when clocks go back it is the later one,
 *   so that a deadline is never earlier than a reader understood it. `skipped` for a time that
 *   clocks jump over; null when the text is not a time, or `isTimeZone` does not accept the zone
 */
export function parseLocalTime(text: string, timeZone: string): Date | "skipped" | null {
  const [matched, ...parts] = LOCAL_PATTERN.exec(text) ?? [];
  if (matched === undefined || !isTimeZone(timeZone)) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) =>
    Number(part ?? 0),
  );
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  // A date such as 30 February is carried over into the next month. No deadline is before 1970.
  if (year < 1970 || !new Date(wall).toISOString().startsWith(text)) return null;
  const offsets = new Set([wall - DAY_MS, wall + DAY_MS].map((at) => getOffsetMs(at, timeZone)));
  const moments = Array.from(offsets, (offset) => wall - offset).filter(
    (moment) => moment + getOffsetMs(moment, timeZone) === wall,
  );
  if (moments.length === 0) return "skipped";
  const moment = new Date(Math.max(...moments));
  // Neither the database nor a field shows years of five digits.
  return moment.getUTCFullYear() > 9999 ? null : moment;
}

/**
 * Writes a moment as a local time: the inverse of `parseLocalTime`.
 * @returns as a `datetime-local` field has it, with seconds when they are not zero
 */
export function formatLocalTime(date: Date, timeZone: string): string {
  const wall = date.getTime() + getOffsetMs(date.getTime(), timeZone);
  const text = new Date(wall).toISOString().slice(0, 19);
  return text.endsWith(":00") ? text.slice(0, -3) : text;
}

/**
 * Returns the moment that a form's field had while the field still shows it, and otherwise the one that was read from
 * the field. A field has no milliseconds, and only the later moment of an hour that comes twice.
 */
export function keepMoment(known: Date, read: Date, text: string, timeZone: string): Date {
  return text === formatLocalTime(known, timeZone) ? known : read;
}

/**
 * Computes how far a zone's clocks are ahead of UTC at a moment. The result is whole seconds: some
 * older offsets have seconds.
 */
function getOffsetMs(momentMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const parts = new Map(format.formatToParts(momentMs).map(({ type, value }) => [type, value]));
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const wall = Date.UTC(
    read("year"),
    read("month") - 1,
    read("day"),
    read("hour"),
    read("minute"),
    read("second"),
  );
  return wall - Math.floor(momentMs / 1_000) * 1_000;
}
