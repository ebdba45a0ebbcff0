import { Link } from "@remix-run/react";
import { formatCursor } from "../../../domain/cursor";
import type { AppliedBoost } from "../../../domain/point-systems/boost";
import type { TriggerNames } from "../../../domain/point-systems/trigger-key";
import { ConfirmForm } from "../../form/confirm-form";
import { NoteField } from "../../form/note-field";
import type { FormProblems } from "../../form/problems";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { CallerData } from "./caller-data";
import { EventName } from "./event-name";
import { EventPoints } from "./event-points";

interface HistoryEvent {
  id: string;
  points: number;
  boost: AppliedBoost | null;
  event: string | null;
  date: Date;
  occurredAt: Date | null;
  metadata: string | null;
  note: string | null;
  operator: string | null;
  /** The primary wallet to which the points went. */
  movedTo: string | null;
  import: { id: string; fileName: string | null } | null;
  voided: {
    date: Date;
    note: string | null;
    operator: string | null;
    importId: string | null;
  } | null;
}

export interface HistoryTableProps {
  events: readonly HistoryEvent[];
  pointSystemId: string;
  /** The names of the point system's triggers. */
  names: TriggerNames;
  /** Whether events can be voided. */
  canVoid: boolean;
  /** The problems of the form that voids an event. */
  problems: FormProblems | undefined;
  /** When the events were read, in milliseconds since 1970. */
  readAt: number;
}

/** Lists the credits of a wallet and the voided ones, newest first. */
export function HistoryTable(props: HistoryTableProps) {
  const { events, pointSystemId, names, canVoid, problems, readAt } = props;
  const columns: DataColumn<HistoryEvent>[] = [
    {
      label: "Event",
      isFlexible: true,
      cell: (event) => (
        <What event={event} pointSystemId={pointSystemId} names={names} readAt={readAt} />
      ),
    },
    {
      label: "Points",
      align: "end",
      cell: (event) => (
        <Struck isStruck={event.voided !== null}>
          <EventPoints {...event} />
        </Struck>
      ),
    },
  ];
  if (canVoid) {
    columns.push({
      label: "Action",
      align: "end",
      cell: (event) =>
        event.voided === null &&
        event.movedTo === null && (
          <VoidForm
            event={event}
            problems={problems?.values.event === formatCursor(event) ? problems : undefined}
          />
        ),
    });
  }
  return (
    <DataTable
      label="History"
      columns={columns}
      rows={events}
      getRowId={({ id }) => id}
      emptyState={
        <EmptyState heading="No points here yet">
          Points from triggers, imports and operators appear here.
        </EmptyState>
      }
    />
  );
}

function What({
  event: { event, note, operator, voided, ...row },
  pointSystemId,
  names,
  readAt,
}: {
  event: HistoryEvent;
  pointSystemId: string;
  names: TriggerNames;
  readAt: number;
}) {
  return (
    <div className="whitespace-normal">
      <div className="min-w-0 break-words">
        <Struck isStruck={voided !== null}>
          {event !== null ? (
            <EventName event={event} names={names} />
          ) : row.import ? (
            <>
              Import{" "}
              <Link
                to={`/dashboard/${pointSystemId}/imports/${row.import.id}`}
                className="break-all text-accent underline"
              >
                {row.import.fileName ?? "file"}
              </Link>
            </>
          ) : row.movedTo ? (
            <>
              Moved to{" "}
              <Link
                to={`/dashboard/${pointSystemId}/wallets/${row.movedTo}`}
                className="break-all text-accent underline"
              >
                the primary wallet
              </Link>
            </>
          ) : (
            "Manual grant"
          )}
        </Struck>
      </div>
      <div className="break-words text-xs text-ink-muted">
        <Ago date={row.date} now={readAt} />
        {operator && <span> by {operator}</span>}
      </div>
      {note && <div className="break-words text-xs text-ink-muted">“{note}”</div>}
      <CallerData event={row} now={readAt} />
      {voided && (
        <div className="mt-1 break-words text-xs">
          <span className="font-medium">Voided</span> <Ago date={voided.date} now={readAt} />
          {voided.operator && <span> by {voided.operator}</span>}
          {voided.importId && ", with its import"}
          {voided.note && <>: “{voided.note}”</>}
        </div>
      )}
    </div>
  );
}

function Struck({ isStruck, children }: { isStruck: boolean; children: React.ReactNode }) {
  return isStruck ? <del className="text-ink-muted">{children}</del> : children;
}

function VoidForm({
  event,
  problems,
}: {
  event: HistoryEvent;
  problems: FormProblems | undefined;
}) {
  return (
    <ConfirmForm
      intent="void"
      fields={{ event: formatCursor(event) }}
      label="Void"
      size="small"
      heading="Void this event?"
      text={
        <>
          The wallet loses its <Count value={event.points} />{" "}
          {event.points === 1 ? "point" : "points"} again. The event stays in the history, struck
          through, and the API no longer lists it. This cannot be undone.
        </>
      }
      confirmLabel="Void the event"
      problems={problems}
    >
      <NoteField problems={problems} />
    </ConfirmForm>
  );
}
