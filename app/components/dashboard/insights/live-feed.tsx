import { useEffect, useState } from "react";
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
 * @param props.readAt when the page's events were read, in milliseconds since 1970
 * @param props.onFirstEvent is called once when the first event comes to a page without events
 */
export function LiveFeed({
  pointSystemId,
  latestEvents,
  latestSeq,
  readAt,
  onFirstEvent,
}: {
  pointSystemId: string;
  latestEvents: readonly FeedEvent[];
  latestSeq: number;
  readAt: number;
  onFirstEvent?: () => void;
}) {
  const isHydrated = useIsHydrated();
  const { events, skipped, status, isPaused, setIsPaused } = useLiveFeed({
    path: getSectionPath(pointSystemId, "live"),
    afterSeq: latestSeq,
    initial: latestEvents,
  });
  const hasArrived = events.length > 0 && latestEvents.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: called for the event only
  useEffect(() => {
    if (hasArrived) onFirstEvent?.();
  }, [hasArrived]);
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
      <EventTable events={events} now={useNow(readAt)} pointSystemId={pointSystemId} />
    </Card>
  );
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
