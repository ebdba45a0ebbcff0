import { useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { type Liveness, rememberShown } from "./last-known";

/**
 * The intervals between reads. The first page is read once for all of its viewers, any other page
 * for each viewer.
 */
const EVERY_MS = { first: 5_000, other: 15_000 };
const EVERY_MAX_MS = 60_000;

/**
 * Reads the page's data every few seconds while its tab is visible, and less often while the
 * service does not answer. The intervals vary, so that viewers who came together do not keep asking
 * together.
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

/**
 * Returns whether the tab is visible. It is false on the server and at first in the browser:
 * `useIsHydrated` explains the effect.
 */
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
