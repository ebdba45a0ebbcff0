const ISO_MOMENT = /^(\d{4}-\d{2}-(\d{2}))(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Reads an ISO 8601 date, or a date and time with its offset. A date alone is its first moment in
 * UTC. Digits past the millisecond are dropped. Returns null when the text is neither.
 */
export function parseIsoMoment(text: string): Date | null {
  const [, day, dayOfMonth] = ISO_MOMENT.exec(text) ?? [];
  // Date reads a day that a month does not have as one of the next month.
  if (new Date(`${day}T00:00Z`).getUTCDate() !== Number(dayOfMonth)) return null;
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? null : moment;
}
