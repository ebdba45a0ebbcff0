import { useEffect } from "react";

/**
 * Loads the page anew if the browser came to it without loading a document. The content security
 * policy is the document's: that of other pages lets no script call a chain.
 */
export function useWalletDocument(): void {
  useEffect(() => {
    const [entry] = performance.getEntriesByType("navigation");
    if (entry && new URL(entry.name).pathname !== window.location.pathname) {
      window.location.reload();
    }
  }, []);
}
