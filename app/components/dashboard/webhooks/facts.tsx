import { Alert } from "../../ui/alert";
import { Card } from "../../ui/card";
import { Fact } from "../../ui/fact";
import { Ago, Day } from "../../ui/local";
import { WebhookBadge, WebhookLag, type WebhookState } from "./state";

interface Webhook extends WebhookState {
  eventTypes: readonly string[];
  createdAt: Date;
  formerUntil: Date | null;
}

/**
 * Shows an endpoint's state and what it listens for.
 * @param props.now when it was read, in milliseconds since 1970
 */
export function WebhookFacts({ webhook, now }: { webhook: Webhook; now: number }) {
  const { eventTypes, createdAt, offAt, isGivenUp, failingSince, dueAt, formerUntil, lag } =
    webhook;
  return (
    <>
      {isGivenUp && (
        <Alert>
          This webhook failed for three days and was switched off. Fix the receiver, then switch it
          on. It continues where it stopped.
        </Alert>
      )}
      <Card heading="State">
        <dl className="grid gap-4 p-4 text-sm sm:grid-cols-2 sm:p-5">
          <Fact label="State">
            <WebhookBadge {...webhook} />
          </Fact>
          <Fact label="Not delivered">
            <WebhookLag lag={lag} now={now} />
          </Fact>
          {failingSince && (
            <Fact label="Failing since">
              <Ago date={failingSince} now={now} />
            </Fact>
          )}
          {failingSince && !offAt && (
            <Fact label="Next attempt">
              <Ago date={dueAt} now={now} />
            </Fact>
          )}
          {offAt && (
            <Fact label="Off since">
              <Ago date={offAt} now={now} />
            </Fact>
          )}
          {formerUntil && (
            <Fact label="Former secret">
              Also signs until <Ago date={formerUntil} now={now} />
            </Fact>
          )}
          <Fact label="Created">
            <Day date={createdAt} />
          </Fact>
          <Fact label="Events" isWide>
            {eventTypes.join(", ")}
          </Fact>
        </dl>
      </Card>
    </>
  );
}
