import type { ReactNode } from "react";

/**
 * Shows one fact in a description list.
 * @param props.isWide whether it takes both columns of a list that has two
 */
export function Fact({
  label,
  isWide = false,
  children,
}: {
  label: string;
  isWide?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={isWide ? "min-w-0 sm:col-span-2" : "min-w-0"}>
      <dt className="text-ink-muted">{label}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

/** Shows a prominent number in a description list. */
export function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className="mt-0.5 break-words text-lg font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
