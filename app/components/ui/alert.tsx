import type { ReactNode } from "react";

/** Shows an error message; a form moves the focus here. */
export function Alert({ children }: { children: ReactNode }) {
  return (
    <div
      role="alert"
      tabIndex={-1}
      className="rounded-lg border border-danger/40 bg-danger/10 px-4 py-3 text-sm text-danger focus-visible:outline-offset-2"
    >
      {children}
    </div>
  );
}
