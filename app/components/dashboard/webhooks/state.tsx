import { type DeliveryState, LAG_COUNTED_MAX } from "../../../domain/webhooks/events";
import { Badge } from "../../ui/badge";
import { Ago, Count } from "../../ui/local";

/** The state of an endpoint, as pages have it. */
export interface WebhookState {
  offAt: Date | null;
  isGivenUp: boolean;
  failingSince: Date | null;
  dueAt: Date;
  lag: { deliveries: number; events: number; since: Date | null };
}

/** Shows whether an endpoint receives deliveries. */
export function WebhookBadge({ offAt, isGivenUp, failingSince }: WebhookState) {
  if (isGivenUp) return <Badge tone="danger">Switched off</Badge>;
  if (offAt) return <Badge>Off</Badge>;
  if (failingSince) return <Badge tone="danger">Failing</Badge>;
  return <Badge tone="success">On</Badge>;
}

/**
 * Shows what is committed and not delivered yet.
 * @param props.now when it was read, in milliseconds since 1970
 */
export function WebhookLag({ lag, now }: { lag: WebhookState["lag"]; now: number }) {
  const { deliveries, events, since } = lag;
  if (deliveries + events === 0) return <>Up to date</>;
  return (
    <>
      {events > 0 && <Amount value={events} one="event" many="events" />}
      {events > 0 && deliveries > 0 && ", "}
      {deliveries > 0 && <Amount value={deliveries} one="delivery" many="deliveries" />}
      {since && (
        <span className="text-ink-muted">
          {" "}
          · oldest <Ago date={since} now={now} />
        </span>
      )}
    </>
  );
}

function Amount({ value, one, many }: { value: number; one: string; many: string }) {
  return (
    <>
      {value >= LAG_COUNTED_MAX && "at least "}
      <Count value={value} /> {value === 1 ? one : many}
    </>
  );
}

const DELIVERY_STATES: Record<
  DeliveryState,
  { label: string; tone: "neutral" | "success" | "danger" | "accent" }
> = {
  waiting: { label: "Waiting", tone: "accent" },
  delivered: { label: "Delivered", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
  skipped: { label: "Skipped", tone: "neutral" },
};

/** Shows the state of a delivery. One that waits after an attempt has failed so far. */
export function DeliveryBadge({ state, attempts }: { state: DeliveryState; attempts: number }) {
  const isRetried = state === "waiting" && attempts > 0;
  const { label, tone } = DELIVERY_STATES[state];
  return <Badge tone={isRetried ? "danger" : tone}>{isRetried ? "Waiting again" : label}</Badge>;
}
