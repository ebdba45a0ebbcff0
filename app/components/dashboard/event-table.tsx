import { Address } from "../ui/address";
import { EmptyState } from "../ui/empty-state";
import { Ago, Count } from "../ui/local";
import { Cell, Table } from "../ui/table";

interface PointEvent {
  id: string;
  address: string;
  points: number;
  event: string | null;
  date: Date;
}

const COLUMNS = [
  { label: "Event" },
  { label: "Wallet" },
  { label: "Points", align: "end" },
] as const;

/**
 * The newest point events.
 * @param props.now when they were read, in milliseconds since 1970
 */
export function EventTable({ events, now }: { events: readonly PointEvent[]; now: number }) {
  if (events.length === 0) {
    return (
      <EmptyState heading="No events yet">
        Fire a trigger as shown on this page, and its event appears here.
      </EmptyState>
    );
  }
  return (
    <Table label="Latest events" columns={COLUMNS}>
      {events.map(({ id, address, points, event, date }) => (
        <tr key={id}>
          <Cell isFlexible>
            {event === null ? (
              <div className="truncate">Manual grant</div>
            ) : (
              <div className="truncate font-mono text-[0.8125rem]" title={event}>
                {event}
              </div>
            )}
            <div className="truncate text-xs text-ink-muted">
              <Ago date={date} now={now} />
            </div>
          </Cell>
          <Cell>
            <Address address={address} />
          </Cell>
          <Cell align="end">
            +<Count value={points} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
