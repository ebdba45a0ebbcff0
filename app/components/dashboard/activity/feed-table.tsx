import type { AppliedBoost } from "../../../domain/point-systems/boost";
import type { TriggerNames } from "../../../domain/point-systems/trigger-key";
import { Address } from "../../ui/address";
import { Badge } from "../../ui/badge";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { Ago, Count } from "../../ui/local";
import { CallerData } from "./caller-data";
import { EventName } from "./event-name";
import { EventPoints } from "./event-points";

interface FeedEvent {
  id: string;
  date: Date;
  address: string;
  event: string | null;
  points: number;
  boost: AppliedBoost | null;
  balance: number;
  note: string | null;
  importId: string | null;
  isVoided: boolean;
  isMove: boolean;
  occurredAt: Date | null;
  metadata: string | null;
}

/**
 * Lists events for operators; voided events are struck through.
 * @param props.names the names of the point system's triggers
 * @param props.now when they were read, in milliseconds since 1970
 */
export function FeedTable({
  events,
  names,
  now,
  pointSystemId,
}: {
  events: readonly FeedEvent[];
  names: TriggerNames;
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
            <Source {...event} names={names} />
            {event.isVoided && !event.isMove && <Badge tone="danger">Voided</Badge>}
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
      cell: (event) =>
        event.isVoided && !event.isMove ? (
          <del className="text-ink-muted">
            <EventPoints {...event} />
          </del>
        ) : (
          <EventPoints {...event} />
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

function Source({
  event,
  importId,
  isVoided,
  isMove,
  names,
}: Pick<FeedEvent, "event" | "importId" | "isVoided" | "isMove"> & { names: TriggerNames }) {
  if (isMove) return <span className="min-w-0 truncate">Moved to the primary wallet</span>;
  const look = `min-w-0 truncate ${isVoided ? "text-ink-muted line-through" : ""}`;
  if (event === null) return <span className={look}>{importId ? "Import" : "Manual grant"}</span>;
  return (
    <span className={look} title={event}>
      <EventName event={event} names={names} />
    </span>
  );
}
