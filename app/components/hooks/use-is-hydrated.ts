import { useEffect, useState } from "react";

/**
 * Whether this browser's page was hydrated. Components that come later need no first render like
 * the server's.
 */
let wasHydrated = false;

/**
 * Returns whether scripts run here, for components that need scripts or the reader's locale. It is
 * false on the server and for the first render in the browser, which then match.
 * It uses an effect and not `useSyncExternalStore`, which renders again at once: React 18 fails
 * with "Root did not complete" when that happens while a part of the page is not hydrated yet.
 */
export function useIsHydrated(): boolean {
  const [isHydrated, setIsHydrated] = useState(wasHydrated);
  useEffect(() => {
    wasHydrated = true;
    setIsHydrated(true);
  }, []);
  return isHydrated;
}
