import { Link } from "@remix-run/react";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Day } from "../../ui/local";
import { ROW_LINK } from "../../ui/table";
import { BoardState } from "./board-state";

interface Row {
  /** The board's name in calls. */
  reference: string;
  name: string;
  isPublic: boolean;
  state: "scheduled" | "open" | "ended" | "filling";
  startsAt: Date;
  endsAt: Date;
}

const COLUMNS: DataColumn<Row>[] = [
  {
    label: "Board",
    isFlexible: true,
    cell: ({ reference, name }) => (
      <Link {...ROW_LINK} to={encodeURIComponent(reference)} className="text-accent underline">
        {name}
      </Link>
    ),
  },
  {
    label: "In calls",
    isSecondary: true,
    cell: ({ reference }) => <code className="text-[0.8125rem]">board={reference}</code>,
  },
  { label: "From", isSecondary: true, cell: ({ startsAt }) => <Day date={startsAt} /> },
  { label: "Until", cell: ({ endsAt }) => <Day date={endsAt} /> },
  { label: "Public", isSecondary: true, cell: ({ isPublic }) => (isPublic ? "Yes" : "No") },
  { label: "State", cell: ({ state }) => <BoardState state={state} /> },
];

/** Lists the boards of a point system beside its all-time board. */
export function BoardList({ boards }: { boards: readonly Row[] }) {
  return (
    <DataTable
      label="Boards"
      columns={COLUMNS}
      rows={boards}
      getRowId={({ reference }) => reference}
      emptyState={
        <EmptyState heading="No other boards yet">
          A weekly board or a season counts only the points of its time. The all-time board is not
          reset.
        </EmptyState>
      }
    />
  );
}
