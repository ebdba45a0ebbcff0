import type { ReactNode } from "react";
import { CALL_LIMITS } from "../../../domain/call-limits";
import type { PointsRange } from "../../../domain/ledger/points";
import { describeCap, type TriggerCap } from "../../../domain/point-systems/trigger-cap";
import { Card } from "../../ui/card";
import { CopyButton } from "../../ui/copy-button";
import { Ago, Count } from "../../ui/local";
import { TriggerPoints } from "./trigger-points";

/** Shows the facts about a trigger. */
export function TriggerFacts({
  trigger: { key, points, variable, cap, fires, lastFiredAt },
  readAt,
}: {
  trigger: {
    key: string;
    points: number;
    variable: PointsRange | null;
    cap: TriggerCap | null;
    fires: number;
    lastFiredAt: Date | null;
  };
  /** When the trigger was read, in milliseconds since 1970. */
  readAt: number;
}) {
  return (
    <Card heading="At a glance" aside="A few seconds behind">
      <dl className="grid gap-x-6 gap-y-4 p-4 text-sm sm:grid-cols-2 sm:p-5">
        <Fact label="Trigger key">
          <span className="flex items-center gap-1">
            <code className="min-w-0 break-all font-mono text-[0.8125rem]">{key}</code>
            <CopyButton text={key} label="trigger key" />
          </span>
        </Fact>
        <Fact label="Points per call">
          <TriggerPoints points={points} variable={variable} />
        </Fact>
        {cap && (
          <Fact label="Cap" isWide>
            {describeCap(cap).map((sentence) => (
              <div key={sentence}>{sentence}</div>
            ))}
            {cap.window !== "ever" && (
              <div className="font-normal text-ink-muted">Midnights of {cap.timeZone}</div>
            )}
          </Fact>
        )}
        <Fact label="Times fired">
          <Count value={fires} />
        </Fact>
        <Fact label="Last fired">
          {lastFiredAt ? <Ago date={lastFiredAt} now={readAt} /> : "Never"}
        </Fact>
        <Fact label="Limit" isWide>
          {CALL_LIMITS.trigger.calls} credits per wallet and API key within{" "}
          {CALL_LIMITS.trigger.seconds} seconds. Further calls are rejected with 429.
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({
  label,
  isWide = false,
  children,
}: {
  label: string;
  isWide?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={`min-w-0 ${isWide ? "sm:col-span-2" : ""}`}>
      <dt className="text-ink-muted">{label}</dt>
      <dd className="mt-0.5 font-medium tabular-nums">{children}</dd>
    </div>
  );
}
