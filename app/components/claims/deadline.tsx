import { useIsHydrated } from "../hooks/use-is-hydrated";

/** Shows the last moment of a claim, in the reader's time zone, which is named. */
export function Deadline({ iso, timeZone }: { iso: string | null; timeZone?: string | null }) {
  const isHydrated = useIsHydrated();
  if (iso === null) return <>No deadline</>;
  const format = (zone: string | undefined) =>
    new Intl.DateTimeFormat(isHydrated ? undefined : "en", {
      year: "numeric",
      month: "short",
      day: "numeric",
      hour: "numeric",
      minute: "2-digit",
      timeZoneName: "short",
      ...(zone && { timeZone: zone }),
    }).format(new Date(iso));
  const own = format(isHydrated ? undefined : "UTC");
  const theirs = timeZone ? format(timeZone) : own;
  return (
    <time dateTime={iso}>
      {own}
      {theirs !== own && (
        <span className="block text-ink-muted">{theirs} in the campaign's time zone</span>
      )}
    </time>
  );
}
