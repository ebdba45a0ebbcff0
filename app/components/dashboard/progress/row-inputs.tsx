import type { InputHTMLAttributes, ReactNode } from "react";
import { getInputClass } from "../../form/field-frame";

/** Shows an input in a row of several, named for readers who hear the page. */
export function RowInput({
  label,
  className = "",
  ...input
}: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <input
      aria-label={label}
      autoComplete="off"
      {...input}
      className={`${getInputClass(undefined)} ${className}`}
    />
  );
}

/** Shows the names of columns, which screen readers hear with each input instead. */
export function RowHeads({ className, labels }: { className: string; labels: readonly string[] }) {
  return (
    <div aria-hidden="true" className={`${className} text-ink-muted text-xs`}>
      {labels.map((label) => (
        <span key={label}>{label}</span>
      ))}
    </div>
  );
}

/** Counts the rows that a form shows: those that are filled, and some empty ones up to a limit. */
export const countRows = (filled: number, rowsMax: number) => Math.min(filled + 3, rowsMax);

/** Shows the rows of a form. */
export function Rows({ count, row }: { count: number; row: (i: number) => ReactNode }) {
  return Array.from({ length: count }, (_, i) => row(i));
}
