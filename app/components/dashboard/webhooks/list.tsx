import { Link } from "@remix-run/react";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { ROW_LINK } from "../../ui/table";
import { WebhookBadge, WebhookLag, type WebhookState } from "./state";

interface Webhook extends WebhookState {
  id: string;
  url: string;
  eventTypes: readonly string[];
}

/**
 * Lists a point system's endpoints.
 * @param props.now when they were read, in milliseconds since 1970
 */
export function WebhookList({
  webhooks,
  now,
  isEditor,
}: {
  webhooks: readonly Webhook[];
  now: number;
  isEditor: boolean;
}) {
  const columns: readonly DataColumn<Webhook>[] = [
    {
      label: "Endpoint",
      isFlexible: true,
      cell: ({ id, url, eventTypes }) => (
        <>
          <Link
            {...ROW_LINK}
            to={id}
            relative="path"
            title={url}
            className="flex min-h-6 items-center font-medium text-accent hover:underline"
          >
            <span className="truncate">{url}</span>
          </Link>
          <div className="truncate text-xs text-ink-muted" title={eventTypes.join(", ")}>
            {eventTypes.join(", ")}
          </div>
        </>
      ),
    },
    { label: "State", cell: (webhook) => <WebhookBadge {...webhook} /> },
    {
      label: "Not delivered",
      isSecondary: true,
      cell: ({ lag }) => (
        <span className="whitespace-nowrap">
          <WebhookLag lag={lag} now={now} />
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label="Webhooks"
      columns={columns}
      rows={webhooks}
      getRowId={({ id }) => id}
      emptyState={
        <EmptyState heading="No webhooks yet">
          {isEditor
            ? "Send events to your application. Add its URL below."
            : "The owner and editors can add webhooks."}
        </EmptyState>
      }
    />
  );
}
