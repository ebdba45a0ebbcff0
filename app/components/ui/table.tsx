import type { ReactNode } from "react";

interface Column {
  label: string;
  /** The alignment: `end` for numbers. */
  align?: "end" | undefined;
  /** Whether the column is left out on a narrow screen. */
  isSecondary?: boolean | undefined;
  /** Replaces the label where the reader can press it. */
  header?: ReactNode;
  sort?: "ascending" | "descending" | undefined;
}

const PADDING = "px-1.5 first:pl-4 last:pr-4 sm:px-3 sm:first:pl-5 sm:last:pr-5";
const SECONDARY = "hidden sm:table-cell";

/** Shows a table that scrolls sideways by itself on a screen that is too narrow for it. */
export function Table({
  label,
  columns,
  children,
}: {
  label: string;
  columns: readonly Column[];
  children: ReactNode;
}) {
  return (
    <div className="relative overflow-x-auto">
      <table aria-label={label} className="w-full text-sm">
        <thead>
          <tr className="text-left text-xs text-ink-muted">
            {columns.map(({ label: column, align, isSecondary, header = column, sort }) => (
              <th
                key={column}
                scope="col"
                aria-sort={sort}
                className={`${PADDING} py-2 font-medium sm:whitespace-nowrap ${align === "end" ? "text-right" : ""} ${isSecondary ? SECONDARY : ""}`}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">{children}</tbody>
      </table>
    </div>
  );
}

/**
 * Shows a cell of a table.
 * @param props.isFlexible whether the cell takes the width that the others leave, and cuts off
 *   longer content
 */
export function Cell({
  align,
  isFlexible = false,
  isSecondary = false,
  children,
}: {
  align?: "end" | undefined;
  isFlexible?: boolean | undefined;
  isSecondary?: boolean | undefined;
  children: ReactNode;
}) {
  const alignment = align === "end" ? "whitespace-nowrap text-right tabular-nums" : "";
  return (
    <td
      className={`${PADDING} py-2 ${alignment} ${isFlexible ? "w-full max-w-0 truncate" : ""} ${isSecondary ? SECONDARY : ""}`}
    >
      {children}
    </td>
  );
}
