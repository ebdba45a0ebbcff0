import { Link } from "@remix-run/react";
import type { PointsRange } from "../../../domain/ledger/points";
import { describeCap, type TriggerCap } from "../../../domain/point-systems/trigger-cap";
import { Badge } from "../../ui/badge";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { ROW_LINK } from "../../ui/table";
import { TriggerPoints } from "./trigger-points";
import { TriggerToggle } from "./trigger-toggle";

interface Trigger {
  key: string;
  name: string;
  points: number;
  variable: PointsRange | null;
  cap: TriggerCap | null;
  isActive: boolean;
  fires: number;
  lastFiredAt: Date | null;
}

const SORT = { label: "Trigger" };

/**
 * Lists a point system's triggers with the points that they credited. Editors turn triggers on and
 * off here.
 */
export function TriggerList({
  triggers,
  canEdit,
  readAt,
}: {
  triggers: readonly Trigger[];
  canEdit: boolean;
  /** When the triggers were read, in milliseconds since 1970. */
  readAt: number;
}) {
  const columns: DataColumn<Trigger>[] = [
    {
      label: "Trigger",
      isFlexible: true,
      sortBy: ({ name }) => name,
      cell: ({ key, name, cap, fires, lastFiredAt }) => (
        <>
          <Link
            {...ROW_LINK}
            to={key}
            title={name}
            className="block truncate py-0.5 font-medium text-accent hover:underline"
          >
            {name}
          </Link>
          <div title={key} className="truncate font-mono text-[0.8125rem] text-ink-muted">
            {key}
          </div>
          {cap &&
            describeCap(cap).map((sentence) => (
              <div key={sentence} className="whitespace-normal text-[0.8125rem] text-ink-muted">
                {sentence}
              </div>
            ))}
          <div className="truncate text-[0.8125rem] text-ink-muted sm:hidden">
            Fired: <Count value={fires} />
            {lastFiredAt && (
              <>
                , last <Ago date={lastFiredAt} now={readAt} />
              </>
            )}
          </div>
        </>
      ),
    },
    {
      label: "Points",
      align: "end",
      sortBy: ({ points }) => points,
      cell: ({ points, variable }) => (
        <div className="whitespace-normal lg:whitespace-nowrap">
          <TriggerPoints points={points} variable={variable} />
        </div>
      ),
    },
    {
      label: "Times fired",
      align: "end",
      isSecondary: true,
      sortBy: ({ fires }) => fires,
      cell: ({ fires }) => <Count value={fires} />,
    },
    {
      label: "Last fired",
      isSecondary: true,
      sortBy: ({ lastFiredAt }) => lastFiredAt?.getTime() ?? 0,
      cell: ({ lastFiredAt }) =>
        lastFiredAt ? (
          <Ago date={lastFiredAt} now={readAt} />
        ) : (
          <span className="text-ink-muted">Never</span>
        ),
    },
    {
      label: "State",
      cell: ({ key, name, isActive }) =>
        canEdit ? (
          <TriggerToggle triggerKey={key} name={name} isActive={isActive} />
        ) : (
          <TriggerState isActive={isActive} />
        ),
    },
  ];
  return (
    <DataTable
      label="Triggers"
      columns={columns}
      rows={triggers}
      getRowId={({ key }) => key}
      sort={SORT}
      emptyState={
        <EmptyState heading="No triggers yet">
          A trigger is an action that earns points.{" "}
          {canEdit ? (
            <Link to="new" className="text-accent underline">
              Create the first one
            </Link>
          ) : (
            "An editor can create one."
          )}
        </EmptyState>
      }
    />
  );
}

export function TriggerState({ isActive }: { isActive: boolean }) {
  return <Badge tone={isActive ? "success" : "neutral"}>{isActive ? "Active" : "Inactive"}</Badge>;
}
