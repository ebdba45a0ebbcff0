import { Link } from "@remix-run/react";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { ROW_LINK } from "../../ui/table";

interface Row {
  key: string;
  name: string;
  /** Null when credits of all triggers count. */
  triggerKeys: readonly string[] | null;
  timeZone: string;
  bonuses: readonly { days: number }[];
}

const COLUMNS = (base: string): DataColumn<Row>[] => [
  {
    label: "Streak",
    isFlexible: true,
    cell: ({ key, name }) => (
      <Link {...ROW_LINK} to={`${base}/streaks/${key}`} className="text-accent underline">
        {name}
      </Link>
    ),
  },
  {
    label: "Triggers",
    isSecondary: true,
    cell: ({ triggerKeys }) => triggerKeys?.join(", ") ?? "All",
  },
  { label: "Time zone", isSecondary: true, cell: ({ timeZone }) => timeZone },
  {
    label: "Bonuses after",
    cell: ({ bonuses }) =>
      bonuses.length === 0 ? (
        "None"
      ) : (
        <span className="whitespace-nowrap">{`${bonuses.map(({ days }) => days).join(", ")} days`}</span>
      ),
  },
];

/** Lists the streaks of a point system. */
export function StreakList({ streaks, base }: { streaks: readonly Row[]; base: string }) {
  return (
    <DataTable
      label="Streaks"
      columns={COLUMNS(base)}
      rows={streaks}
      getRowId={({ key }) => key}
      emptyState={
        <EmptyState heading="No streaks yet">
          A streak counts the days in a row on which a wallet earns, and can pay bonuses for them.
        </EmptyState>
      }
    />
  );
}
