import type { ReactNode } from "react";

/** Replaces an empty list: it says that there is nothing yet, and the next step. */
export function EmptyState({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <div className="px-6 py-10 text-center">
      <p className="font-medium">{heading}</p>
      <div className="mx-auto mt-1.5 max-w-prose text-sm text-ink-muted">{children}</div>
    </div>
  );
}
