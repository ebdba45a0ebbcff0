import { useEffect, useRef, useState } from "react";
import type { TriggerNames } from "../../../domain/point-systems/trigger-key";
import { useIsHydrated } from "../../hooks/use-is-hydrated";
import { Button } from "../../ui/button";
import { Card } from "../../ui/card";
import { Count } from "../../ui/local";
import { getSectionPath } from "../shell/sections";
import { EventTable } from "./event-table";
import { type FeedEvent, type FeedStatus, useLiveFeed } from "./use-live-feed";

const STATUS_TEXTS: Record<FeedStatus, string> = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  paused: "Paused",
};
const AGE_UPDATE_MS = 10_000;

/**
 * Shows the newest events, and those that come while the page is open. Without scripts it shows
 * those that the page was loaded with.
 * @param props.names the names of the point system's triggers
 * @param props.readAt when the page's events were read, in milliseconds since 1970
 * @param props.onEvents is called when events have come, at most once in a few seconds, and some
 *   times after the last of them
 */
export function LiveFeed({
  pointSystemId,
  names,
  latestEvents,
  latestSeq,
  readAt,
  onEvents,
}: {
  pointSystemId: string;
  names: TriggerNames;
  latestEvents: readonly FeedEvent[];
  latestSeq: number;
  readAt: number;
  onEvents: () => void;
}) {
  const isHydrated = useIsHydrated();
  const { events, arrivals, skipped, status, isPaused, setIsPaused } = useLiveFeed({
    path: getSectionPath(pointSystemId, "live"),
    afterSeq: latestSeq,
    initial: latestEvents,
  });
  useArrivals(arrivals, onEvents);
  return (
    <Card
      heading="Latest events"
      aside={
        isHydrated ? (
          <div className="flex items-center gap-3">
            <span role="status" className="inline-flex items-center gap-1.5">
              <Light isOn={status === "live"} />
              {STATUS_TEXTS[status]}
            </span>
            <Button variant="quiet" size="small" onClick={() => setIsPaused(!isPaused)}>
              {isPaused ? "Resume" : "Pause"}
            </Button>
          </div>
        ) : (
          <span className="inline-flex min-h-8 items-center">Newest 20</span>
        )
      }
    >
      {skipped > 0 && (
        <p className="border-b border-line px-4 py-2 text-sm text-ink-muted sm:px-5">
          <Count value={skipped} /> more arrived at once and are not in this list.
        </p>
      )}
      <EventTable
        events={events}
        names={names}
        now={useNow(readAt)}
        pointSystemId={pointSystemId}
      />
    </Card>
  );
}

/** The least time between two calls for arrived events. */
const CALL_MS = 5_000;
/** The calls for the last event: statistics are some seconds behind the ledger. */
const CALLS_AFTER_LAST = 3;

/** Calls back while events arrive, and some times after the last one. */
function useArrivals(arrivals: number, onEvents: () => void) {
  const latest = useRef(onEvents);
  latest.current = onEvents;
  const calledAt = useRef(0);
  useEffect(() => {
    if (arrivals === 0) return;
    let calls = 0;
    let timer: ReturnType<typeof setTimeout>;
    const call = () => {
      calledAt.current = Date.now();
      calls += 1;
      latest.current();
      if (calls < CALLS_AFTER_LAST) timer = setTimeout(call, CALL_MS);
    };
    timer = setTimeout(call, Math.max(0, calledAt.current + CALL_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [arrivals]);
}

function Light({ isOn }: { isOn: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={`size-2 rounded-full ${isOn ? "bg-success" : "border border-ink-muted"}`}
    />
  );
}

/**
 * Returns the current time, so that ages grow while the page is open; at first the time when its
 * data was read.
 */
function useNow(readAt: number): number {
  const [now, setNow] = useState(readAt);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), AGE_UPDATE_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.max(now, readAt);
}
