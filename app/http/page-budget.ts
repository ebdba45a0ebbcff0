import type { ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { getClientNetwork } from "../domain/client-network";

/** Requests of one network to public pages in a minute: many times what the readers of an office ask. */
const PAGES_A_MINUTE = 3_000;
const WINDOW_MS = 60_000;
/** The most networks that are counted; those that were not seen for longest are forgotten. */
const NETWORKS_MAX = 20_000;

/** Takes one request from a network's budget. */
export type PageBudget = (ip: string) => number | null;

/**
 * Creates the budget of public pages: each network has so many requests in each minute, in this
 * process. It holds in memory, so that a flood costs neither a page nor a statement.
 * @returns takes a request; null when it is within the budget, otherwise the seconds to wait
 */
export function createPageBudget(pagesAMinute = PAGES_A_MINUTE, now = Date.now): PageBudget {
  const networks = new LRUCache<string, { used: number; endsAt: number }>({ max: NETWORKS_MAX });
  return (ip) => {
    const network = getClientNetwork(ip);
    const at = now();
    let window = networks.get(network);
    if (!window || window.endsAt <= at) {
      window = { used: 0, endsAt: at + WINDOW_MS };
      networks.set(network, window);
    }
    window.used += 1;
    return window.used <= pagesAMinute ? null : Math.ceil((window.endsAt - at) / 1_000);
  };
}

/** Answers a reader whose network has used up its budget of pages. */
export function answerFlood(response: ServerResponse, waitSeconds: number): void {
  response
    .writeHead(429, {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "Retry-After": waitSeconds,
    })
    .end("Too many requests from your network. Try again in a minute.\n");
}
