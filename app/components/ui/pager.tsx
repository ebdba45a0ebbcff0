import { Form, Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button, getButtonClass } from "./button";
import { Count } from "./local";

/**
 * Leads through a list that has numbered pages.
 * @param props.label the rows of the list, in the plural: "wallets"
 * @param props.makeHref makes the address of a page; the number is its query's `page`
 */
export function Pager({
  page,
  totalPages,
  total,
  makeHref,
  label,
}: {
  page: number;
  totalPages: number;
  total: number;
  makeHref: (page: number) => string;
  label: string;
}) {
  if (totalPages <= 1) return null;
  const [path = "", query = ""] = makeHref(1).split("?");
  const kept = [...new URLSearchParams(query)].filter(([name]) => name !== "page");
  const isFirst = page <= 1;
  const isLast = page >= totalPages;
  return (
    <nav
      aria-label={`Pages of ${label}`}
      className="mt-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-3 text-sm"
    >
      <p className="text-ink-muted">
        Page <Count value={page} /> of <Count value={totalPages} />
        <span className="whitespace-nowrap">
          {" · "}
          <Count value={total} /> {label}
        </span>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Step href={isFirst ? null : makeHref(1)}>First</Step>
        <Step href={isFirst ? null : makeHref(Math.min(page - 1, totalPages))} rel="prev">
          Previous
        </Step>
        <Step href={isLast ? null : makeHref(page + 1)} rel="next">
          Next
        </Step>
        <Step href={isLast ? null : makeHref(totalPages)}>Last</Step>
        <Form {...(path && { action: path })} className="flex items-center gap-2">
          {kept.map(([name, value]) => (
            <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
          ))}
          <input
            // The key keeps the field equal to the open page's number, also after a link led to it.
            key={page}
            name="page"
            aria-label={`Page of ${label}`}
            inputMode="numeric"
            autoComplete="off"
            defaultValue={page}
            className="block min-h-8 w-20 rounded-lg border border-field bg-raised px-2 text-base tabular-nums sm:text-[0.8125rem]"
          />
          <Button type="submit" variant="quiet" size="small">
            Go
          </Button>
        </Form>
      </div>
    </nav>
  );
}

/** Leads through a list that is too long to number its pages. */
export function CursorPager({
  newerHref,
  olderHref,
  newerLabel = "Newer",
  olderLabel = "Older",
  label = "Pages",
}: {
  newerHref: string | null;
  olderHref: string | null;
  newerLabel?: string;
  olderLabel?: string;
  label?: string;
}) {
  if (newerHref === null && olderHref === null) return null;
  return (
    <nav aria-label={label} className="mt-4 flex items-center justify-between gap-2">
      <Step href={newerHref} rel="prev">
        {newerLabel}
      </Step>
      <Step href={olderHref} rel="next">
        {olderLabel}
      </Step>
    </nav>
  );
}

/** Shows a link, or an empty place when there is no page to lead to. */
function Step({ href, rel, children }: { href: string | null; rel?: string; children: ReactNode }) {
  if (href === null) {
    return (
      <span
        aria-hidden="true"
        className="inline-flex min-h-8 items-center rounded-lg border border-transparent bg-sunken px-3 text-[0.8125rem] text-ink-muted"
      >
        {children}
      </span>
    );
  }
  return (
    <Link to={href} rel={rel} prefetch="none" className={getButtonClass("quiet", "small")}>
      {children}
    </Link>
  );
}
