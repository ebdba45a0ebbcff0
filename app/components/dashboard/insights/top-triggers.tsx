import { Link } from "@remix-run/react";
import { EmptyState } from "../../ui/empty-state";
import { Count, Share } from "../../ui/local";
import { Cell, Table } from "../../ui/table";
import { getSectionPath } from "../shell/sections";

interface TopTrigger {
  key: string;
  /** Null when the trigger was deleted since. */
  name: string | null;
  points: number;
  events: number;
  /** The part of all credited points, from 0 to 1. */
  share: number;
}

const COLUMNS = [
  { label: "Trigger" },
  { label: "Events", align: "end", isSecondary: true },
  { label: "Points", align: "end" },
  { label: "Share", align: "end" },
] as const;

/** Lists the triggers that credited most. */
export function TopTriggers({
  pointSystemId,
  triggers,
}: {
  pointSystemId: string;
  triggers: readonly TopTrigger[];
}) {
  if (triggers.length === 0) {
    return <EmptyState heading="No triggers were fired">Try a longer period.</EmptyState>;
  }
  return (
    <Table label="Top triggers" columns={COLUMNS}>
      {triggers.map(({ key, name, points, events, share }) => (
        <tr key={key}>
          <Cell>
            <div className="break-words font-medium">
              {name === null ? (
                "Deleted trigger"
              ) : (
                <Link
                  to={getSectionPath(pointSystemId, `triggers/${key}`)}
                  className="inline-block min-h-6 hover:underline"
                >
                  {name}
                </Link>
              )}
            </div>
            <div className="break-all font-mono text-[0.8125rem] text-ink-muted">{key}</div>
          </Cell>
          <Cell align="end" isSecondary>
            <Count value={events} />
          </Cell>
          <Cell align="end">
            <Count value={points} />
          </Cell>
          <Cell align="end">
            <Share value={share} />
            <div aria-hidden="true" className="ml-auto mt-1.5 h-1 w-14 rounded-full bg-sunken">
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${Math.min(1, share) * 100}%` }}
              />
            </div>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
