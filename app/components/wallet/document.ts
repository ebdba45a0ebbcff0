import { useEffect } from "react";

/**
 * Reloads the page if the browser came to it without loading a document. The content security
 * policy belongs to the document, and other pages' policies let no script call a chain.
 */
export function useWalletDocument(): void {
  useEffect(() => {
    const [entry] = performance.getEntriesByType("navigation");
    if (entry && new URL(entry.name).pathname !== window.location.pathname) {
      window.location.reload();
    }
  }, []);
}
