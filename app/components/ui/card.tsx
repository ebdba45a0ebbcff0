import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";

const HEAD = "flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 py-3 sm:px-5";

/**
 * Shows a raised area with a heading of its own.
 * @param props.isFolded whether only its head is shown until the reader opens it
 */
export function Card({
  heading,
  aside,
  isFolded = false,
  children,
}: {
  heading: string;
  aside?: ReactNode;
  isFolded?: boolean;
  children: ReactNode;
}) {
  const head = (
    <>
      <h2 className={`font-semibold ${isFolded ? "min-w-0 flex-1" : ""}`}>{heading}</h2>
      {aside && <div className="text-sm text-ink-muted">{aside}</div>}
    </>
  );
  const body = <div className="border-t border-line">{children}</div>;
  return (
    <section className="min-w-0 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
      {isFolded ? (
        <details className="group">
          <summary
            className={`${HEAD} cursor-pointer list-none [&::-webkit-details-marker]:hidden`}
          >
            {head}
            <ChevronDown
              aria-hidden="true"
              className="size-4 shrink-0 self-center text-ink-muted group-open:rotate-180"
            />
          </summary>
          {body}
        </details>
      ) : (
        <>
          <div className={HEAD}>{head}</div>
          {body}
        </>
      )}
    </section>
  );
}
