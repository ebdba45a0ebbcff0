import { CircleCheck, LoaderCircle } from "lucide-react";
import { ButtonLink } from "../../ui/button-link";
import { Count } from "../../ui/local";
import { getSectionPath } from "../shell/sections";
import { type FeedEvent, useLiveFeed } from "./use-live-feed";

const NONE: readonly FeedEvent[] = [];

/** Waits for the first event of a point system, and says when it has come. */
export function FirstEvent({ pointSystemId }: { pointSystemId: string }) {
  const { events } = useLiveFeed({
    path: getSectionPath(pointSystemId, "live"),
    afterSeq: 0,
    initial: NONE,
  });
  const first = events.at(-1);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p role="status" className="flex items-center gap-2 font-medium">
        {first ? (
          <>
            <CircleCheck aria-hidden="true" className="size-4 text-success" />
            <span>
              Your first event arrived: +<Count value={first.points} />{" "}
              {first.points === 1 ? "point" : "points"}.
            </span>
          </>
        ) : (
          <WaitingForEvent />
        )}
      </p>
      <ButtonLink
        to={getSectionPath(pointSystemId, "")}
        variant={first ? "primary" : "quiet"}
        size="small"
      >
        Open the overview
      </ButtonLink>
    </div>
  );
}

/** Says that the page waits for the first event. */
export function WaitingForEvent() {
  return (
    <>
      <LoaderCircle aria-hidden="true" className="size-4 text-ink-muted motion-safe:animate-spin" />
      Waiting for your first event…
    </>
  );
}
