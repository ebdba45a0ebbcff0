import { useIsHydrated } from "../hooks/use-is-hydrated";

// Numbers and moments in the format of the reader's browser. The server does not know its locale
// and time zone: it writes English and UTC, and the first render in the browser does the same.

const SERVER_LOCALE = "en";

function useLocale(): string | undefined {
  return useIsHydrated() ? undefined : SERVER_LOCALE;
}

/** Shows a whole number with its digits grouped. */
export function Count({ value }: { value: number }) {
  return <>{new Intl.NumberFormat(useLocale()).format(value)}</>;
}

/**
 * Shows an exact decimal number, such as `1000.5`, with its digits grouped. At most 20 decimals.
 */
export function Decimal({ value }: { value: string }) {
  const format = new Intl.NumberFormat(useLocale(), { maximumFractionDigits: 20 });
  // As text: the value may have more digits than a number keeps.
  return <>{format.format(value as `${number}`)}</>;
}

/** Shows a part of a whole, from 0 to 1, in per cent. */
export function Share({ value }: { value: number }) {
  const format = new Intl.NumberFormat(useLocale(), { style: "percent", maximumFractionDigits: 1 });
  return <>{format.format(value)}</>;
}

/** Shows a change with its sign: +1,234 or −1,234. */
export function SignedCount({ value }: { value: number }) {
  const format = new Intl.NumberFormat(useLocale(), { signDisplay: "exceptZero" });
  return <span className="whitespace-nowrap">{format.format(value).replace("-", "−")}</span>;
}

/** A day stays on one line, except on the narrowest screens. */
const ONE_LINE = "min-[360px]:whitespace-nowrap";

/** Shows a day such as `2026-11-01`, the same one in every time zone. */
export function UtcDay({ day }: { day: string }) {
  const format = new Intl.DateTimeFormat(useLocale(), { dateStyle: "medium", timeZone: "UTC" });
  return (
    <time dateTime={day} className={ONE_LINE}>
      {format.format(new Date(day))}
    </time>
  );
}

/** Shows a day, with the exact moment on hover. */
export function Day({ date }: { date: Date }) {
  const format = new Intl.DateTimeFormat(useLocale(), { dateStyle: "medium", ...useTimeZone() });
  return (
    <time dateTime={date.toISOString()} title={useExactMoment(date)} className={ONE_LINE}>
      {format.format(date)}
    </time>
  );
}

/**
 * Shows how long ago something was, with the exact moment on hover.
 * @param now when the page's data was read, in milliseconds since 1970
 */
export function Ago({ date, now }: { date: Date; now: number }) {
  const locale = useLocale();
  return (
    <time dateTime={date.toISOString()} title={useExactMoment(date)} className="whitespace-nowrap">
      {formatAgo(date.getTime() - now, locale)}
    </time>
  );
}

const UNITS = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

function formatAgo(differenceMs: number, locale: string | undefined): string {
  const seconds = Math.round(differenceMs / 1_000);
  const [unit, unitSeconds] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? [
    "second",
    1,
  ];
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  return format.format(Math.trunc(seconds / unitSeconds), unit);
}

function useExactMoment(date: Date): string {
  const format = new Intl.DateTimeFormat(useLocale(), {
    dateStyle: "long",
    timeStyle: "long",
    ...useTimeZone(),
  });
  return format.format(date);
}

function useTimeZone(): { timeZone?: string } {
  return useIsHydrated() ? {} : { timeZone: "UTC" };
}
