import { useRevalidator } from "@remix-run/react";
import { useEffect } from "react";

/** The interval at which a page asks while the worker is busy. */
const POLL_MS = 1_000;

/** Reads the page's data again and again, each time after the last answer. */
export function usePolling(isOn: boolean): void {
  const { state, revalidate } = useRevalidator();
  useEffect(() => {
    if (!isOn || state !== "idle") return;
    const timer = setTimeout(revalidate, POLL_MS);
    return () => clearTimeout(timer);
  }, [isOn, state, revalidate]);
}
