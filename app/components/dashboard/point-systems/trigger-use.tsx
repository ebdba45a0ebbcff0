import { Link } from "@remix-run/react";
import { Address } from "../../ui/address";
import { Badge } from "../../ui/badge";
import { Card } from "../../ui/card";
import { DailyChart } from "../../ui/charts/lazy-chart";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { Cell, Table } from "../../ui/table";
import { getSectionPath } from "../shell/sections";

interface LatestEvent {
  id: string;
  date: Date;
  address: string;
  points: number;
  isVoided: boolean;
}

const COLUMNS = [
  { label: "Wallet" },
  { label: "When", align: "end" },
  { label: "Points", align: "end" },
] as const;

/**
 * Shows how much a trigger is used: its points per day, and its latest events.
 * @param props.now the moment that ages are counted from, in milliseconds since 1970
 */
export function TriggerUse({
  pointSystemId,
  triggerKey,
  days,
  latestEvents,
  now,
}: {
  pointSystemId: string;
  triggerKey: string;
  days: readonly { day: string; points: number; events: number }[];
  latestEvents: readonly LatestEvent[];
  now: number;
}) {
  const events = days.reduce((sum, day) => sum + day.events, 0);
  return (
    <>
      <Card
        heading="Points per day"
        aside={
          <>
            <Count value={events} /> {events === 1 ? "event" : "events"} in 30 days, in UTC
          </>
        }
      >
        <div className="p-4 sm:p-5">
          <DailyChart
            label="Last 30 days"
            unit="points"
            heightPx={160}
            data={days.map(({ day, points }) => ({ day, value: points }))}
          />
        </div>
      </Card>
      <Card
        heading="Latest events"
        aside={
          <Link
            to={getSectionPath(pointSystemId, `activity?trigger=${encodeURIComponent(triggerKey)}`)}
            className="text-accent underline"
          >
            Show all
          </Link>
        }
      >
        {latestEvents.length === 0 ? (
          <EmptyState heading="No recent events">
            Events of this trigger appear here. “Show all” searches the whole activity.
          </EmptyState>
        ) : (
          <Table label="Latest events" columns={COLUMNS}>
            {latestEvents.map(({ id, date, address, points, isVoided }) => (
              <tr key={id}>
                <Cell>
                  <Address
                    address={address}
                    to={getSectionPath(pointSystemId, `wallets/${address}`)}
                  />
                </Cell>
                <Cell align="end">
                  <Ago date={date} now={Math.max(now, date.getTime())} />
                </Cell>
                <Cell align="end">
                  {isVoided ? (
                    <Badge>Voided</Badge>
                  ) : (
                    <>
                      +<Count value={points} />
                    </>
                  )}
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </>
  );
}
