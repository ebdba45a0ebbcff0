import {
  type ColumnDef,
  getCoreRowModel,
  getSortedRowModel,
  type Header,
  useReactTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
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
  const data = useMemo(() => [...rows], [rows]);
  const definitions = useMemo(() => columns.map(toDefinition), [columns]);
  const table = useReactTable<Row>({
    data,
    columns: definitions,
    getRowId,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    initialState: {
      sorting: sort ? [{ id: sort.label, desc: sort.isDescending ?? false }] : [],
    },
  });
  if (rows.length === 0 && emptyState) return <>{emptyState}</>;
  const headers = table.getFlatHeaders();
  return (
    <Table
      label={label}
      columns={columns.map((column) => {
        const header = headers.find(({ id }) => id === column.label);
        if (!header || !isHydrated || !column.sortBy) return column;
        return {
          ...column,
          header: <SortButton header={header} align={column.align} />,
          sort: findSort(header),
        };
      })}
    >
      {table.getRowModel().rows.map((row) => (
        <tr
          key={row.id}
          {...(row.id === markedRowId && {
            id: "row",
            "aria-current": true,
            className: "scroll-mt-24 bg-accent/10",
          })}
        >
          {row.getVisibleCells().map((cell, index) => {
            const { align, isFlexible, isSecondary, cell: write } = columns[index] ?? {};
            return (
              <Cell key={cell.id} align={align} isFlexible={isFlexible} isSecondary={isSecondary}>
                {/* Not as a component: a page that makes its columns again would remount it. */}
                {write?.(row.original)}
              </Cell>
            );
          })}
        </tr>
      ))}
    </Table>
  );
}

function toDefinition<Row>({ label, sortBy }: DataColumn<Row>): ColumnDef<Row> {
  return {
    id: label,
    header: label,
    enableSorting: sortBy !== undefined,
    sortingFn: "auto",
    ...(sortBy && { accessorFn: sortBy }),
  };
}

function findSort<Row>({ column }: Header<Row, unknown>) {
  const direction = column.getIsSorted();
  if (!direction) return undefined;
  return direction === "asc" ? ("ascending" as const) : ("descending" as const);
}

const MARKS = { ascending: "↑", descending: "↓" } as const;

function SortButton<Row>({
  header,
  align,
}: {
  header: Header<Row, unknown>;
  align: DataColumn<Row>["align"];
}) {
  const direction = findSort(header);
  return (
    <button
      type="button"
      onClick={header.column.getToggleSortingHandler()}
      // The mark is towards the middle, so that the name stays in line with the column.
      className={`-mx-1 inline-flex min-h-6 items-center gap-1 rounded px-1 hover:text-ink ${align === "end" ? "flex-row-reverse" : ""}`}
    >
      {header.id}
      <span aria-hidden="true" className="w-2.5">
        {direction && MARKS[direction]}
      </span>
    </button>
  );
}
