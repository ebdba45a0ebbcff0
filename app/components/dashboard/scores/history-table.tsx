import { Badge } from "../../ui/badge";
import { DataTable } from "../../ui/data-table";
import { Ago } from "../../ui/local";

interface Computation {
  id: string;
  computedAt: Date;
  isComplete: boolean;
  source: "engine" | "remote";
  result: { finalScore: number };
}

/** Lists the computations of a wallet's score, newest first. */
export function ScoreHistoryTable({
  computations,
  readAt,
}: {
  computations: readonly Computation[];
  readAt: number;
}) {
  return (
    <DataTable
      label="Computations"
      rows={computations}
      getRowId={({ id }) => id}
      columns={[
        { label: "When", cell: ({ computedAt }) => <Ago date={computedAt} now={readAt} /> },
        { label: "Score", align: "end", cell: ({ result }) => result.finalScore },
        {
          label: "State",
          cell: ({ isComplete }) =>
            isComplete ? <Badge>Complete</Badge> : <Badge tone="accent">Lower bound</Badge>,
        },
        {
          label: "Computed by",
          isSecondary: true,
          cell: ({ source }) => (source === "engine" ? "This service" : "External engine"),
        },
      ]}
    />
  );
}
