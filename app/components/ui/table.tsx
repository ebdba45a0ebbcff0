import type { ReactNode } from "react";

interface Column {
  label: string;
  /** Numbers line up at their end. */
  align?: "end" | undefined;
  /** Left out where the screen is narrow. */
  isSecondary?: boolean | undefined;
  /** In the label's place, where it can be pressed. */
  header?: ReactNode;
  sort?: "ascending" | "descending" | undefined;
}

const PADDING = "px-1.5 first:pl-4 last:pr-4 sm:px-3 sm:first:pl-5 sm:last:pr-5";
const SECONDARY = "hidden sm:table-cell";

/** A table that scrolls sideways by itself when a screen is too narrow for it. */
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

/** @param props.isFlexible takes the width that the others leave, and cuts off what is longer */
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
