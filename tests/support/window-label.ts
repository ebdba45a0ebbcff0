const DAY_MS = 86_400_000;

/**
 * Writes the local date, week or month of a time, by no database's calendar: a model's own way to tell windows apart.
 */
export function labelWindow(
  time: Date,
  kind: "daily" | "weekly" | "monthly",
  timeZone: string,
): string {
  const date = new Intl.DateTimeFormat("sv", { timeZone }).format(time);
  if (kind === "daily") return date;
  if (kind === "monthly") return date.slice(0, 7);
  const thursday = new Date(`${date}T00:00:00Z`);
  thursday.setUTCDate(thursday.getUTCDate() + 3 - ((thursday.getUTCDay() + 6) % 7));
  const firstDay = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - firstDay) / (7 * DAY_MS)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
}
