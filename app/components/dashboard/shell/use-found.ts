import { useEffect, useState } from "react";

/** The results of a search in a point system. */
export interface Found {
  readonly wallets: readonly { readonly address: string; readonly points: number }[];
  readonly triggers: readonly { readonly key: string; readonly name: string }[];
}

const NOTHING: Found = { wallets: [], triggers: [] };
const TYPING_MS = 150;
const DEADLINE_MS = 5_000;
const TEXT_LENGTH_MIN = 2;
const TEXT_LENGTH_MAX = 100;

/**
 * Searches a point system while the operator types: once the typing rests, and for the last text
 * only. A search that fails finds nothing, since an error must not replace the page beneath.
 */
export function useFound(pointSystemId: string | null, text: string): Found {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    setFound(NOTHING);
    if (pointSystemId === null) return;
    if (text.length < TEXT_LENGTH_MIN || text.length > TEXT_LENGTH_MAX) return;
    const aborter = new AbortController();
    const timer = setTimeout(async () => {
      const signal = AbortSignal.any([aborter.signal, AbortSignal.timeout(DEADLINE_MS)]);
      const result = await search(pointSystemId, text, signal);
      if (!aborter.signal.aborted) setFound(result);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [pointSystemId, text]);
  return found;
}

async function search(pointSystemId: string, text: string, signal: AbortSignal): Promise<Found> {
  try {
    const path = `/dashboard/${pointSystemId}/search?${new URLSearchParams({ q: text })}`;
    // The session may have ended: the sign-in page, to which it redirects then, is not an answer.
    const answer = await fetch(path, { signal, redirect: "error" });
    return answer.ok ? ((await answer.json()) as Found) : NOTHING;
  } catch {
    return NOTHING;
  }
}
