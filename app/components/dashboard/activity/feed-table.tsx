import { Address } from "../../ui/address";
import { Badge } from "../../ui/badge";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { Ago, Count, SignedCount } from "../../ui/local";
import { CallerData } from "./caller-data";

interface FeedEvent {
  id: string;
  date: Date;
  address: string;
  event: string | null;
  points: number;
  balance: number;
  note: string | null;
  importId: string | null;
  isVoided: boolean;
  occurredAt: Date | null;
  metadata: Readonly<Record<string, unknown>> | null;
}

/**
 * Lists events for operators; voided events are struck through.
 * @param props.now when they were read, in milliseconds since 1970
 */
export function FeedTable({
  events,
  now,
  pointSystemId,
}: {
  events: readonly FeedEvent[];
  now: number;
  pointSystemId: string;
}) {
  const columns: readonly DataColumn<FeedEvent>[] = [
    {
      label: "Event",
      isFlexible: true,
      cell: (event) => (
        <>
          <div className="flex items-center gap-2">
            <EventName {...event} />
            {event.isVoided && <Badge tone="danger">Voided</Badge>}
          </div>
          {event.note !== null && (
            <div className="truncate text-xs text-ink-muted" title={event.note}>
              {event.note}
            </div>
          )}
          <div className="text-xs text-ink-muted sm:hidden">
            <Ago date={event.date} now={now} />
          </div>
          <CallerData event={event} now={now} />
        </>
      ),
    },
    {
      label: "Wallet",
      cell: ({ address }) => (
        <Address address={address} to={`/dashboard/${pointSystemId}/wallets/${address}`} />
      ),
    },
    {
      label: "Points",
      align: "end",
      cell: ({ points, isVoided }) =>
        isVoided ? (
          <del className="text-ink-muted">
            <SignedCount value={points} />
          </del>
        ) : (
          <SignedCount value={points} />
        ),
    },
    {
      label: "Balance",
      align: "end",
      isSecondary: true,
      cell: ({ balance }) => <Count value={balance} />,
    },
    {
      label: "When",
      align: "end",
      isSecondary: true,
      cell: ({ date }) => <Ago date={date} now={now} />,
    },
  ];
  return <DataTable label="Events" columns={columns} rows={events} getRowId={({ id }) => id} />;
}

function EventName({
  event,
  importId,
  isVoided,
}: Pick<FeedEvent, "event" | "importId" | "isVoided">) {
  const look = `min-w-0 truncate ${isVoided ? "text-ink-muted line-through" : ""}`;
  if (event === null) return <span className={look}>{importId ? "Import" : "Manual grant"}</span>;
  return (
    <span className={`${look} font-mono text-[0.8125rem]`} title={event}>
      {event}
    </span>
  );
}
