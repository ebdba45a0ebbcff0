import { WifiOff } from "lucide-react";
import { useEffect } from "react";
import { useIsOffline } from "../../hooks/use-is-offline";

/**
 * Says that there is no network, and keeps the page: a link or a form would lead to the browser's
 * error page, and what was typed would be lost.
 */
export function OfflineGuard() {
  const isOffline = useIsOffline();
  useEffect(() => {
    if (!isOffline) return;
    // Before React hears of the event. Links to another part of the page need no network.
    const keepLink = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (link && !link.getAttribute("href")?.startsWith("#")) stop(event);
    };
    document.addEventListener("click", keepLink, true);
    document.addEventListener("submit", stop, true);
    return () => {
      document.removeEventListener("click", keepLink, true);
      document.removeEventListener("submit", stop, true);
    };
  }, [isOffline]);
  return (
    <div role="status">
      {isOffline && (
        <p className="flex items-center gap-2.5 border-b border-warning/40 bg-warning/10 px-4 py-2.5 text-sm sm:px-8">
          <WifiOff aria-hidden="true" className="size-4 shrink-0 text-warning" />
          You are offline. This page stays as it is until you are back.
        </p>
      )}
    </div>
  );
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
