import type { ReactNode } from "react";

/** Shows a raised area with a heading of its own. */
export function Card({
  heading,
  aside,
  children,
}: {
  heading: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="min-w-0 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
        <h2 className="font-semibold">{heading}</h2>
        {aside && <div className="text-sm text-ink-muted">{aside}</div>}
      </div>
      <div className="border-t border-line">{children}</div>
    </section>
  );
}
