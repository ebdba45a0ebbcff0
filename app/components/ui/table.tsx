import type { MouseEvent, ReactNode } from "react";

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
        {/* The keyboard and readers of the screen use the row's link. */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link takes keys */}
        <tbody
          onClick={followRow}
          className="divide-y divide-line border-t border-line [&>tr:has([data-row-link])]:cursor-pointer [&>tr:has([data-row-link])]:hover:bg-sunken"
        >
          {children}
        </tbody>
      </table>
    </div>
  );
}

/** Marks the link of a row that leads to one page: a click anywhere in the row follows it. */
export const ROW_LINK = { "data-row-link": "" } as const;

/**
 * Follows the row's link after a click beside it. Other controls in the row keep their clicks, and
 * text can be selected.
 */
function followRow(event: MouseEvent<HTMLElement>) {
  const { target } = event;
  if (event.defaultPrevented || !(target instanceof Element)) return;
  if (target.closest("a, button, input, label, select, summary, dialog, form")) return;
  const link = target.closest("tr")?.querySelector<HTMLAnchorElement>("a[data-row-link]");
  if (!link || !window.getSelection()?.isCollapsed) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  link.dispatchEvent(
    new window.MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
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
