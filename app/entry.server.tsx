import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import {
  type AppLoadContext,
  createReadableStreamFromReadable,
  type EntryContext,
  type HandleDataRequestFunction,
  type HandleErrorFunction,
} from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { isbot } from "isbot";
import { renderToPipeableStream } from "react-dom/server";
import { listSafeAppOrigins, listWalletOrigins } from "./chain/rpc/chains";
import { NonceContext } from "./components/page/nonce";
import { isForFrames, isForSafe, isForWallets } from "./components/page/page-handle";
import { getPagePolicy } from "./server/security-headers";

const RENDER_DEADLINE_MS = 5_000;

/** Renders a page as a stream; a bot gets the whole page at once. */
export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const nonce = randomBytes(16).toString("base64");
  headers.set("Content-Type", "text/html; charset=utf-8");
  // With `no-referrer`, browsers send `Origin: null` with forms, which names no origin.
  headers.set("Referrer-Policy", "same-origin");
  forbidCaching(headers);
  const { loaderHeaders, actionHeaders } = remixContext.staticHandlerContext;
  for (const answered of [...Object.values(loaderHeaders), ...Object.values(actionHeaders)]) {
    // A page that failed and a refused form say when to try again; Remix keeps their headers to itself.
    const retryAfter = answered.get("Retry-After");
    if (retryAfter !== null) headers.set("Retry-After", retryAfter);
  }
  if (import.meta.env.DEV) {
    // Hot reload injects scripts and styles, and opens a socket.
    headers.set(
      "Content-Security-Policy",
      "default-src * 'unsafe-inline' 'unsafe-eval' data: blob:",
    );
  } else {
    const has = (says: (handle: unknown) => boolean) => hasHandle(remixContext, says);
    const policy = getPagePolicy(nonce, {
      frameAncestors: has(isForFrames) ? ["*"] : has(isForSafe) ? listSafeAppOrigins() : [],
      connectOrigins: has(isForWallets) ? listWalletOrigins() : [],
    });
    headers.set("Content-Security-Policy", policy);
  }
  return new Promise((resolve, reject) => {
    let hasStarted = false;
    const send = () => {
      hasStarted = true;
      const body = new PassThrough();
      resolve(new Response(createReadableStreamFromReadable(body), { headers, status }));
      pipe(body);
    };
    const isForBot = isbot(request.headers.get("user-agent"));
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <RemixServer
          context={remixContext}
          url={request.url}
          abortDelay={RENDER_DEADLINE_MS}
          nonce={nonce}
        />
      </NonceContext.Provider>,
      {
        nonce,
        [isForBot ? "onAllReady" : "onShellReady"]: send,
        onShellError: reject,
        onError: (error: unknown) => {
          if (hasStarted && !request.signal.aborted) context.logError(error);
        },
      },
    );
    setTimeout(abort, RENDER_DEADLINE_MS + 1_000).unref();
  });
}

function hasHandle(
  { staticHandlerContext, routeModules }: EntryContext,
  says: (handle: unknown) => boolean,
): boolean {
  return staticHandlerContext.matches.some(({ route }) => says(routeModules[route.id]?.handle));
}

/** Completes the answers of a page's loaders and actions to scripts. */
export const handleDataRequest: HandleDataRequestFunction = (response) => {
  forbidCaching(response.headers);
  return response;
};

/** Pages depend on the session and are not cached, unless a page says otherwise. */
function forbidCaching(headers: Headers): void {
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

/**
 * Logs bugs in loaders, actions and rendering. A 404 is not a bug, nor is a request that its client
 * aborted.
 */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (!isRouteErrorResponse(error) && !request.signal.aborted) context.logError(error);
};
