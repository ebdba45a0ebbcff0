import { type ReactNode, useState } from "react";
import { useIsHydrated } from "../hooks/use-is-hydrated";
import { Cell, Table } from "./table";

export interface DataColumn<Row> {
  /** The text above the column; unique among the columns. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** The alignment: `end` for numbers. */
  align?: "end";
  /** Whether the column takes the width that the others leave, and cuts off longer content. */
  isFlexible?: boolean;
  /** Whether the column is left out on a narrow screen. */
  isSecondary?: boolean;
  /** The value by which the reader can sort the column, on a page that has all rows. */
  sortBy?: (row: Row) => string | number;
}

/** Shows rows as a table, or `emptyState` when there are none. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  getRowId,
  emptyState,
  sort,
  markedRowId,
}: {
  label: string;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  getRowId: (row: Row) => string;
  emptyState?: ReactNode;
  /** The first order of the rows; without it, they keep the order in which they come. */
  sort?: { label: string; isDescending?: boolean };
  /** The row that the reader searched for: it stands out, and is at `#row`. */
  markedRowId?: string | null;
}) {
  const isHydrated = useIsHydrated();
  const [order, setOrder] = useState<Order | undefined>(sort);
  if (rows.length === 0 && emptyState) return <>{emptyState}</>;
  const sorting = columns.find((column) => column.label === order?.label)?.sortBy;
  return (
    <Table
      label={label}
      columns={columns.map((column) => {
        if (!isHydrated || !column.sortBy) return column;
        const direction = column.label === order?.label ? toDirection(order) : undefined;
        return {
          ...column,
          header: (
            <SortButton
              column={column}
              direction={direction}
              onClick={() => setOrder(getNextOrder(column, rows[0], order))}
            />
          ),
          sort: direction,
        };
      })}
    >
      {(order && sorting ? sortRows(rows, sorting, order) : rows).map((row) => {
        const id = getRowId(row);
        return (
          <tr
            key={id}
            {...(id === markedRowId && {
              id: "row",
              "aria-current": true,
              className: "scroll-mt-24 bg-accent/10",
            })}
          >
            {columns.map(({ label: name, align, isFlexible, isSecondary, cell }) => (
              <Cell key={name} align={align} isFlexible={isFlexible} isSecondary={isSecondary}>
                {cell(row)}
              </Cell>
            ))}
          </tr>
        );
      })}
    </Table>
  );
}

/** The column by which rows are sorted, and the direction. */
interface Order {
  readonly label: string;
  readonly isDescending?: boolean;
}

const toDirection = ({ isDescending }: Order) => (isDescending ? "descending" : "ascending");

/** Sorts rows by a column's values: texts as a reader of the page expects, numbers by size. */
function sortRows<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => string | number,
  { isDescending }: Order,
): readonly Row[] {
  const sorted = [...rows].sort((one, other) => {
    const [a, b] = [sortBy(one), sortBy(other)];
    return typeof a === "string" ? a.localeCompare(String(b), "en") : a - Number(b);
  });
  return isDescending ? sorted.reverse() : sorted;
}

/** Returns the order after a press: texts from A first, numbers from the largest, then the reverse. */
function getNextOrder<Row>(
  { label, sortBy }: DataColumn<Row>,
  row: Row | undefined,
  order: Order | undefined,
): Order {
  if (order?.label === label) return { label, isDescending: !order.isDescending };
  return { label, isDescending: row !== undefined && typeof sortBy?.(row) === "number" };
}

const MARKS = { ascending: "↑", descending: "↓" } as const;

function SortButton<Row>({
  column: { label, align },
  direction,
  onClick,
}: {
  column: DataColumn<Row>;
  direction: keyof typeof MARKS | undefined;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      // The mark is towards the middle, so that the name stays in line with the column.
      className={`-mx-1 inline-flex min-h-6 items-center gap-1 rounded px-1 hover:text-ink ${align === "end" ? "flex-row-reverse" : ""}`}
    >
      {label}
      <span aria-hidden="true" className="w-2.5">
        {direction && MARKS[direction]}
      </span>
    </button>
  );
}
