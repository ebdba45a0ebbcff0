import { Link } from "@remix-run/react";
import { formatCursor } from "../../../domain/cursor";
import { ConfirmForm } from "../../form/confirm-form";
import { Field } from "../../form/field";
import type { FormProblems } from "../../form/problems";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { CallerData } from "./caller-data";

interface HistoryEvent {
  id: string;
  points: number;
  event: string | null;
  date: Date;
  occurredAt: Date | null;
  metadata: Readonly<Record<string, unknown>> | null;
  note: string | null;
  operator: string | null;
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
  /** Whether events can be voided. */
  canVoid: boolean;
  /** The problems of the form that voids an event. */
  problems: FormProblems | undefined;
  /** When the events were read, in milliseconds since 1970. */
  readAt: number;
}

/** Lists the credits of a wallet and the voided ones, newest first. */
export function HistoryTable(props: HistoryTableProps) {
  const { events, pointSystemId, canVoid, problems, readAt } = props;
  const columns: DataColumn<HistoryEvent>[] = [
    {
      label: "Event",
      isFlexible: true,
      cell: (event) => <What event={event} pointSystemId={pointSystemId} readAt={readAt} />,
    },
    {
      label: "Points",
      align: "end",
      cell: ({ points, voided }) => (
        <Struck isStruck={voided !== null}>
          +<Count value={points} />
        </Struck>
      ),
    },
  ];
  if (canVoid) {
    columns.push({
      label: "Action",
      align: "end",
      cell: (event) =>
        event.voided === null && (
          <VoidForm
            event={event}
            problems={problems?.values.event === event.id ? problems : undefined}
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
  readAt,
}: {
  event: HistoryEvent;
  pointSystemId: string;
  readAt: number;
}) {
  return (
    <div className="whitespace-normal">
      <div className="min-w-0 break-words">
        <Struck isStruck={voided !== null}>
          {event !== null ? (
            <span className="break-all font-mono text-[0.8125rem]">{event}</span>
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
      <Field
        label="Note"
        name="note"
        isOptional
        maxLength={500}
        autoComplete="off"
        hint="Only operators see it"
        defaultValue={problems?.values.note}
        problem={problems?.fields.note}
      />
    </ConfirmForm>
  );
}
