import { useSyncExternalStore } from "react";

const subscribe = () => () => {};

/**
 * Whether scripts run here. False on the server and for the first render in the browser, which then
 * match; for what needs scripts, or the reader's locale.
 */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
