import { isRouteErrorResponse } from "@remix-run/react";

/** What a live page adds to its data: how often in a row the service did not answer. */
export interface Liveness {
  readonly misses: number;
}

/** What the page that is open shows. In the browser only. */
let shown: { readonly place: string; readonly data: object; misses: number } | null = null;

/** Remembers what a live page shows, for when the service does not answer. */
export function rememberShown(data: object & Liveness): void {
  shown = { place: getPlace(window.location.href), data, misses: data.misses };
}

/**
 * Reads a live page's data anew. When the service does not answer, a page that is open keeps what
 * it shows: an error in its place would tell viewers less.
 */
export async function readOrKeep<Data extends object & Liveness>(
  url: string,
  read: () => Promise<Data>,
): Promise<Data> {
  try {
    return await read();
  } catch (error) {
    const isRefusal =
      error instanceof Response || (isRouteErrorResponse(error) && error.status < 500);
    if (isRefusal || shown?.place !== getPlace(url)) throw error;
    return { ...(shown.data as Data), misses: shown.misses + 1 };
  }
}

function getPlace(href: string): string {
  const { pathname, search } = new URL(href);
  return pathname + search;
}
