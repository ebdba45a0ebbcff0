import { Link } from "@remix-run/react";
import type { DeliveryState } from "../../../domain/webhooks/events";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { ROW_LINK } from "../../ui/table";
import { DeliveryBadge } from "./state";

interface Delivery {
  seq: string;
  id: string;
  type: string;
  state: DeliveryState;
  createdAt: Date;
  attempts: number;
  tookMs: number | null;
  status: number | null;
  problem: string | null;
}

/**
 * Lists an endpoint's deliveries.
 * @param props.now when they were read, in milliseconds since 1970
 */
export function DeliveryList({
  deliveries,
  now,
  href,
}: {
  deliveries: readonly Delivery[];
  now: number;
  /** The path of the endpoint's page. */
  href: string;
}) {
  const columns: readonly DataColumn<Delivery>[] = [
    {
      label: "Delivery",
      isFlexible: true,
      cell: ({ seq, id, type, createdAt, problem }) => (
        <>
          <Link
            {...ROW_LINK}
            to={`${href}/deliveries/${seq}`}
            title={id}
            className="flex min-h-6 items-center font-medium text-accent hover:underline"
          >
            <span className="truncate">{type}</span>
          </Link>
          <div className="truncate text-xs text-ink-muted" title={problem ?? undefined}>
            <Ago date={createdAt} now={now} />
            {problem && ` · ${problem}`}
          </div>
        </>
      ),
    },
    {
      label: "State",
      cell: (delivery) => <DeliveryBadge {...delivery} />,
    },
    { label: "Answer", align: "end", isSecondary: true, cell: ({ status }) => status ?? "–" },
    {
      label: "Time",
      align: "end",
      isSecondary: true,
      cell: ({ tookMs }) =>
        tookMs === null ? (
          "–"
        ) : (
          <>
            <Count value={tookMs} /> ms
          </>
        ),
    },
    {
      label: "Attempts",
      align: "end",
      isSecondary: true,
      cell: ({ attempts }) => <Count value={attempts} />,
    },
  ];
  return (
    <DataTable
      label="Deliveries"
      columns={columns}
      rows={deliveries}
      getRowId={({ seq }) => seq}
      emptyState={
        <EmptyState heading="No deliveries yet">
          The first event or a test sends the first delivery.
        </EmptyState>
      }
    />
  );
}
