import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

interface Crumb {
  label: string;
  to: string;
}

/**
 * Shows the head of a page: its heading and its actions.
 * @param props.breadcrumb the pages above this one, the nearest last
 */
export function PageHeader({
  title,
  description,
  actions,
  breadcrumb = [],
}: {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  breadcrumb?: readonly Crumb[];
}) {
  return (
    <div>
      {breadcrumb.length > 0 && (
        <nav aria-label="Breadcrumb" className="mb-1">
          <ol className="flex flex-wrap gap-x-2 text-sm text-ink-muted">
            {breadcrumb.map(({ label, to }) => (
              <li key={to} className="flex min-w-0 gap-x-2">
                <Link to={to} className="min-h-6 max-w-64 truncate hover:text-ink hover:underline">
                  {label}
                </Link>
                <span aria-hidden="true">/</span>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 lg:flex-nowrap">
        <div className="min-w-0 max-w-full">
          <h1 className="break-words text-2xl font-semibold tracking-tight">{title}</h1>
          {description && <div className="mt-1 text-sm text-ink-muted">{description}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2 lg:shrink-0">{actions}</div>}
      </div>
    </div>
  );
}
