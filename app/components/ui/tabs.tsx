import { Link } from "@remix-run/react";

export interface Tab {
  label: string;
  to: string;
  isCurrent: boolean;
}

/** Links the views of one page. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav
      aria-label={label}
      className="inline-flex max-w-full flex-wrap gap-1 rounded-lg border border-line bg-sunken p-1"
    >
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          to={tab.to}
          preventScrollReset
          aria-current={tab.isCurrent ? "page" : undefined}
          className={`inline-flex min-h-7 min-w-0 items-center break-words rounded-md px-3 text-[0.8125rem] ${
            tab.isCurrent
              ? "bg-raised font-medium text-ink shadow-sm"
              : "text-ink-muted hover:text-ink"
          }`}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
