import { useEffect, useMemo, useRef, useState } from "react";
import type { AppliedBoost } from "../../../domain/point-systems/boost";

/** An event in the form of the page's loader. */
export interface FeedEvent {
  id: string;
  address: string;
  points: number;
  boost: AppliedBoost | null;
  event: string | null;
  date: Date;
}

export type FeedStatus = "connecting" | "live" | "reconnecting" | "paused";

interface Message {
  events: (Omit<FeedEvent, "date"> & { date: string })[];
  skipped: number;
}

const EVENTS_MAX = 50;
/** The wait after a refusal. A broken connection is restored by the browser itself. */
const RETRY_MS = 10_000;
const RETRY_MAX_MS = 160_000;

/**
 * Returns the newest events: those that the page was loaded with, and those that came since. While
 * the page is hidden it asks for nothing.
 * @param props.path the stream of server-sent events
 * @param props.afterSeq the sequence number of the page's newest event
 */
export function useLiveFeed({
  path,
  afterSeq,
  initial,
}: {
  path: string;
  afterSeq: number;
  initial: readonly FeedEvent[];
}) {
  const [arrived, setArrived] = useState<readonly FeedEvent[]>([]);
  const [arrivals, setArrivals] = useState(0);
  const [skipped, setSkipped] = useState(0);
  const [connection, setConnection] = useState<FeedStatus>("connecting");
  const [isPaused, setIsPaused] = useState(false);
  const isHidden = useIsHidden();
  const lastSeq = useRef(afterSeq);

  useEffect(() => {
    if (isPaused || isHidden) return;
    const onMessage = ({ data, lastEventId }: MessageEvent<string>) => {
      lastSeq.current = Math.max(lastSeq.current, Number(lastEventId));
      const message = JSON.parse(data) as Message;
      const events = message.events.map((event) => ({ ...event, date: new Date(event.date) }));
      setArrived((before) => mergeEvents(events, before));
      setSkipped(message.skipped);
      if (events.length > 0) setArrivals((before) => before + 1);
    };
    const getUrl = () => `${path}?after=${lastSeq.current}`;
    return keepConnected(getUrl, onMessage, setConnection);
  }, [path, isPaused, isHidden]);

  const events = useMemo(() => mergeEvents(arrived, initial), [arrived, initial]);
  const status: FeedStatus = isPaused ? "paused" : connection;
  return { events, arrivals, skipped, status, isPaused, setIsPaused };
}

/**
 * Keeps a connection to the stream.
 * @returns closes the connection
 */
function keepConnected(
  getUrl: () => string,
  onMessage: (message: MessageEvent<string>) => void,
  onStatus: (status: FeedStatus) => void,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = RETRY_MS;
  const connect = () => {
    source = new EventSource(getUrl());
    source.onmessage = onMessage;
    source.onopen = () => {
      retryMs = RETRY_MS;
      onStatus("live");
    };
    source.onerror = () => {
      onStatus("reconnecting");
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    };
  };
  connect();
  return () => {
    source?.close();
    clearTimeout(timer);
    onStatus("connecting");
  };
}

/** Merges both lists: each event once, newest first in the server's order. */
function mergeEvents(
  some: readonly FeedEvent[],
  others: readonly FeedEvent[],
): readonly FeedEvent[] {
  const byId = new Map([...others, ...some].map((event) => [event.id, event]));
  const newestFirst = (a: FeedEvent, b: FeedEvent) =>
    b.date.getTime() - a.date.getTime() || (a.id < b.id ? 1 : -1);
  return [...byId.values()].sort(newestFirst).slice(0, EVENTS_MAX);
}

function useIsHidden(): boolean {
  const [isHidden, setIsHidden] = useState(false);
  useEffect(() => {
    const update = () => setIsHidden(document.visibilityState === "hidden");
    update();
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isHidden;
}
