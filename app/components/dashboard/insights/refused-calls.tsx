import { Fragment } from "react";
import { EmptyState } from "../../ui/empty-state";
import { Count } from "../../ui/local";
import { Cell, Table } from "../../ui/table";

/** The calls that were refused with one status, by the text of the refusal. */
export interface RefusalGroup {
  status: number;
  reasons: readonly { message: string; calls: number }[];
}

const MEANINGS: Record<number, string> = {
  401: "No valid API key",
  403: "Not allowed",
  404: "Not found",
  429: "Too many calls",
};

const COLUMNS = [{ label: "Reason" }, { label: "Calls", align: "end" }] as const;

/** Shows the refused calls that named the point system. */
export function RefusedCalls({ groups }: { groups: readonly RefusalGroup[] }) {
  if (groups.length === 0) {
    return <EmptyState heading="No rejected calls">Rejected API calls appear here.</EmptyState>;
  }
  return (
    <Table label="Rejected calls" columns={COLUMNS}>
      {groups.map(({ status, reasons }) => (
        <Fragment key={status}>
          <tr className="font-medium">
            <Cell>
              <span className="mr-2 font-mono text-[0.8125rem]">{status}</span>
              {MEANINGS[status]}
            </Cell>
            <Cell align="end">
              <Count value={reasons.reduce((sum, { calls }) => sum + calls, 0)} />
            </Cell>
          </tr>
          {reasons.map(({ message, calls }) => (
            <tr key={message} className="text-ink-muted">
              <Cell>
                <span className="block pl-9">{message}</span>
              </Cell>
              <Cell align="end">
                <Count value={calls} />
              </Cell>
            </tr>
          ))}
        </Fragment>
      ))}
    </Table>
  );
}
