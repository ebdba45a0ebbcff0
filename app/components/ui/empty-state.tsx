import type { ReactNode } from "react";

/** Replaces an empty list: it says that there is nothing yet, and the next step. */
export function EmptyState({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <div className="px-6 py-10 text-center [overflow-wrap:anywhere]">
      <svg
        aria-hidden="true"
        viewBox="0 0 64 40"
        className="mx-auto mb-4 h-10 fill-raised stroke-line"
        strokeWidth="1.5"
      >
        <rect x="14" y="3" width="36" height="12" rx="3" className="opacity-50" />
        <rect x="7" y="11" width="50" height="13" rx="3" className="opacity-75" />
        <rect x="1" y="20" width="62" height="18" rx="4" />
        <circle cx="11" cy="29" r="4" className="fill-sunken" />
        <path d="M20 27h24M20 32h14" strokeLinecap="round" />
      </svg>
      <p className="font-medium">{heading}</p>
      <div className="mx-auto mt-1.5 max-w-prose text-sm text-ink-muted">{children}</div>
    </div>
  );
}
