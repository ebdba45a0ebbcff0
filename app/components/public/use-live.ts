import { useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { type Liveness, rememberShown } from "./last-known";

/** The first page is read for all of its viewers at once; any other, for each. */
const EVERY_MS = { first: 5_000, other: 15_000 };
const EVERY_MAX_MS = 60_000;

/**
 * Reads the page's data every few seconds while its tab is visible; more seldom while the service
 * does not answer. The intervals vary, so that viewers who came at once do not ask at once forever.
 */
export function useLive(data: object & Liveness, kind: "first" | "other"): void {
  const { revalidate, state } = useRevalidator();
  const isNavigating = useNavigation().state !== "idle";
  const isVisible = useIsVisible();
  const readAt = useRef(0);
  useEffect(() => {
    readAt.current = performance.now();
    rememberShown(data);
  }, [data]);
  const { misses } = data;
  useEffect(() => {
    if (!isVisible || isNavigating || state !== "idle") return;
    const everyMs =
      Math.min(EVERY_MS[kind] * 2 ** misses, EVERY_MAX_MS) * (0.8 + Math.random() * 0.4);
    const waitMs = Math.max(0, readAt.current + everyMs - performance.now());
    const timer = setTimeout(revalidate, waitMs);
    return () => clearTimeout(timer);
  }, [isVisible, isNavigating, state, misses, kind, revalidate]);
}

/** False on the server and at first in the browser: see `useIsHydrated` for why by an effect. */
function useIsVisible(): boolean {
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const note = () => setIsVisible(document.visibilityState === "visible");
    note();
    document.addEventListener("visibilitychange", note);
    return () => document.removeEventListener("visibilitychange", note);
  }, []);
  return isVisible;
}
