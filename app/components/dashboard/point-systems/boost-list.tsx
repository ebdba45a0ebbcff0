import { Link } from "@remix-run/react";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count, Decimal } from "../../ui/local";
import { ROW_LINK } from "../../ui/table";
import { BoostState } from "./boost-state";

interface Row {
  id: string;
  name: string;
  factor: number;
  startsAt: Date;
  endsAt: Date;
  triggerKeys: readonly string[] | null;
  walletCount: number | null;
  state: "running" | "scheduled" | "ended";
}

/**
 * Lists the boosts of a point system.
 * @param props.now when they were read, in milliseconds since 1970
 */
export function BoostList({ boosts, now }: { boosts: readonly Row[]; now: number }) {
  const columns: DataColumn<Row>[] = [
    {
      label: "Boost",
      isFlexible: true,
      cell: ({ id, name }) => (
        <Link {...ROW_LINK} to={id} className="text-accent underline">
          {name}
        </Link>
      ),
    },
    {
      label: "Factor",
      align: "end",
      cell: ({ factor }) => (
        <>
          × <Decimal value={String(factor)} />
        </>
      ),
    },
    {
      label: "Triggers",
      isSecondary: true,
      cell: ({ triggerKeys }) => triggerKeys?.length ?? "All",
    },
    {
      label: "Wallets",
      isSecondary: true,
      cell: ({ walletCount }) => (walletCount === null ? "All" : <Count value={walletCount} />),
    },
    {
      label: "Start",
      isSecondary: true,
      cell: ({ startsAt }) => <Ago date={startsAt} now={now} />,
    },
    { label: "End", isSecondary: true, cell: ({ endsAt }) => <Ago date={endsAt} now={now} /> },
    { label: "State", cell: ({ state }) => <BoostState state={state} /> },
  ];
  return (
    <DataTable
      label="Boosts"
      columns={columns}
      rows={boosts}
      getRowId={({ id }) => id}
      emptyState={
        <EmptyState heading="No boosts yet">
          A boost multiplies the points of credits for a time, such as double points on a weekend.
        </EmptyState>
      }
    />
  );
}
