import { useEffect, useState } from "react";

/** Of this browser's page: once it was hydrated, what comes later needs no first render like the server's. */
let wasHydrated = false;

/**
 * Whether scripts run here. False on the server and for the first render in the browser, which then
 * match; for what needs scripts, or the reader's locale.
 *
 * An effect, and not `useSyncExternalStore`: that one renders anew at once, and React 18 fails with
 * "Root did not complete" when it does so while a part of the page is not hydrated yet.
 */
export function useIsHydrated(): boolean {
  const [isHydrated, setIsHydrated] = useState(wasHydrated);
  useEffect(() => {
    wasHydrated = true;
    setIsHydrated(true);
  }, []);
  return isHydrated;
}
