import type { DeliveryState } from "../../../domain/webhooks/events";
import { Card } from "../../ui/card";
import { Fact } from "../../ui/fact";
import { Ago, Count } from "../../ui/local";
import { DeliveryBadge } from "./state";

interface Delivery {
  id: string;
  state: DeliveryState;
  createdAt: Date;
  attempts: number;
  attemptedAt: Date | null;
  tookMs: number | null;
  status: number | null;
  problem: string | null;
  body: string;
  answer: string | null;
}

/**
 * Shows a delivery: its state, its request and the answer to the last attempt.
 * @param props.now when it was read, in milliseconds since 1970
 */
export function DeliveryFacts({ delivery, now }: { delivery: Delivery; now: number }) {
  const { id, createdAt, attempts, attemptedAt, tookMs, status, problem, body, answer } = delivery;
  return (
    <>
      <Card heading="Last attempt">
        <dl className="grid gap-4 p-4 text-sm sm:grid-cols-2 sm:p-5">
          <Fact label="State">
            <DeliveryBadge {...delivery} />
          </Fact>
          <Fact label="Made">
            <Ago date={createdAt} now={now} />
          </Fact>
          <Fact label="Attempts">
            <Count value={attempts} />
          </Fact>
          {attemptedAt && (
            <Fact label="Attempted">
              <Ago date={attemptedAt} now={now} />
              {tookMs !== null && (
                <>
                  , in <Count value={tookMs} /> ms
                </>
              )}
            </Fact>
          )}
          {status !== null && <Fact label="Status">{status}</Fact>}
          {problem && <Fact label="Problem">{problem}</Fact>}
          <Fact label="webhook-id" isWide>
            <span className="break-all font-mono text-[0.8125rem]">{id}</span>
          </Fact>
        </dl>
      </Card>
      <Card heading="Request" aside="The body that is signed and posted">
        <Text label="Request body" text={indent(body)} />
      </Card>
      {answer !== null && (
        <Card heading="Answer" aside="Its first 4 KiB">
          {answer === "" ? (
            <p className="p-4 text-sm text-ink-muted sm:p-5">The answer had no body.</p>
          ) : (
            <Text label="Answer body" text={answer} />
          )}
        </Card>
      )}
    </>
  );
}

/** Shows a text that scrolls by itself, also with the keyboard. */
function Text({ label, text }: { label: string; text: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: readers scroll it with the keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto p-4 sm:p-5"
    >
      <pre className="font-mono text-[0.8125rem]">{text}</pre>
    </section>
  );
}

function indent(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
