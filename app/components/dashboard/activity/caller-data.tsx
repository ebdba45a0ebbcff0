import { Ago } from "../../ui/local";

/** Shows the data that a caller added to an event, and its time where it differs from the ledger's. */
export function CallerData({
  event: { date, occurredAt, metadata },
  now,
}: {
  event: {
    date: Date;
    occurredAt: Date | null;
    /** A flat object as JSON. */
    metadata: string | null;
  };
  /** When the event was read, in milliseconds since 1970. */
  now: number;
}) {
  const fields = Object.entries<unknown>(JSON.parse(metadata ?? "{}"));
  return (
    <>
      {occurredAt !== null && occurredAt.getTime() !== date.getTime() && (
        <div className="text-xs text-ink-muted">
          Happened <Ago date={occurredAt} now={now} />
        </div>
      )}
      {fields.length > 0 && (
        <details className="text-xs">
          <summary className="min-h-6 w-fit cursor-pointer py-1 text-ink-muted">Metadata</summary>
          <dl className="space-y-1 whitespace-normal pb-1">
            {fields.map(([name, value]) => (
              <div key={name} className="flex flex-wrap gap-x-2">
                <dt className="min-w-0 [overflow-wrap:anywhere] text-ink-muted">{name}:</dt>
                <dd className="min-w-0 [overflow-wrap:anywhere] font-mono">
                  {typeof value === "string" ? value : JSON.stringify(value)}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}
