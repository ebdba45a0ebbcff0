import type { AppliedBoost } from "../../../domain/point-systems/boost";
import type { TriggerNames } from "../../../domain/point-systems/trigger-key";
import { Address } from "../../ui/address";
import { EmptyState } from "../../ui/empty-state";
import { Ago } from "../../ui/local";
import { Cell, Table } from "../../ui/table";
import { EventName } from "../activity/event-name";
import { EventPoints } from "../activity/event-points";
import { getSectionPath } from "../shell/sections";

interface PointEvent {
  id: string;
  address: string;
  points: number;
  boost: AppliedBoost | null;
  event: string | null;
  date: Date;
}

const COLUMNS = [
  { label: "Event" },
  { label: "Wallet" },
  { label: "Points", align: "end" },
] as const;

/**
 * Lists the newest point events.
 * @param props.names the names of the point system's triggers
 * @param props.now the moment that their ages are counted from, in milliseconds since 1970
 */
export function EventTable({
  events,
  names,
  now,
  pointSystemId,
}: {
  events: readonly PointEvent[];
  names: TriggerNames;
  now: number;
  pointSystemId: string;
}) {
  if (events.length === 0) {
    return (
      <EmptyState heading="No events yet">
        Fire a trigger as shown on this page, and its event appears here.
      </EmptyState>
    );
  }
  return (
    <Table label="Latest events" columns={COLUMNS}>
      {events.map(({ id, address, points, boost, event, date }) => (
        <tr key={id}>
          <Cell isFlexible>
            {event === null ? (
              <div className="truncate">Manual grant</div>
            ) : (
              <div className="truncate" title={event}>
                <EventName event={event} names={names} />
              </div>
            )}
            <div className="truncate text-xs text-ink-muted">
              {/* The clocks of database and browser differ a little. */}
              <Ago date={date} now={Math.max(now, date.getTime())} />
            </div>
          </Cell>
          <Cell>
            <Address address={address} to={getSectionPath(pointSystemId, `wallets/${address}`)} />
          </Cell>
          <Cell align="end">
            <EventPoints points={points} boost={boost} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
