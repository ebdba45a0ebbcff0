import { isRouteErrorResponse } from "@remix-run/react";

/**
 * The part that a live page adds to its data: the number of reads in a row that the service did not
 * answer.
 */
export interface Liveness {
  readonly misses: number;
}

/** The data that the open page shows, in the browser only. */
let shown: { readonly place: string; readonly data: object; misses: number } | null = null;

/** Remembers the data that a live page shows, for reads that the service does not answer. */
export function rememberShown(data: object & Liveness): void {
  shown = { place: getPlace(window.location.href), data, misses: data.misses };
}

/**
 * Reads a live page's data again. When the service does not answer, an open page keeps its data: an
 * error in its place would tell viewers less.
 */
export async function readOrKeep<Data extends object & Liveness>(
  url: string,
  read: () => Promise<Data>,
): Promise<Data> {
  try {
    return await read();
  } catch (error) {
    const isRefusal =
      error instanceof Response ||
      (isRouteErrorResponse(error) && error.status < 500 && error.status !== 429);
    if (isRefusal || shown?.place !== getPlace(url)) throw error;
    return { ...(shown.data as Data), misses: shown.misses + 1 };
  }
}

function getPlace(href: string): string {
  const { pathname, search } = new URL(href);
  return pathname + search;
}
