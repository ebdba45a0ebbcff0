import { EmptyState } from "../ui/empty-state";
import { Count } from "../ui/local";
import { Cell, Table } from "../ui/table";

interface Trigger {
  key: string;
  name: string;
  points: number;
  isActive: boolean;
}

const COLUMNS = [
  { label: "Trigger" },
  { label: "Points", align: "end" },
  { label: "State" },
] as const;

/** What credits points, the active ones first. */
export function TriggerTable({ triggers }: { triggers: readonly Trigger[] }) {
  if (triggers.length === 0) {
    return (
      <EmptyState heading="No triggers yet">
        A trigger names something that earns points, and how many. Add one to this point system in a
        fixture file and load it with <code className="font-mono">npm run db:seed</code>.
      </EmptyState>
    );
  }
  return (
    <Table label="Triggers" columns={COLUMNS}>
      {triggers.map(({ key, name, points, isActive }) => (
        <tr key={key}>
          <Cell>
            <div className="break-words font-medium">{name}</div>
            <div className="break-all font-mono text-[0.8125rem] text-ink-muted">{key}</div>
          </Cell>
          <Cell align="end">
            <Count value={points} />
          </Cell>
          <Cell>
            <State isActive={isActive} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

function State({ isActive }: { isActive: boolean }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${isActive ? "bg-success" : "border border-ink-muted"}`}
      />
      {isActive ? "Active" : "Inactive"}
    </span>
  );
}
