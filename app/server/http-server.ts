import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/node";
import type { Logger } from "pino";

import { loader as answerNotFound } from "../api/not-found";
import { parseRequestId, parseTraceId } from "../domain/trace";
import { answerError, setCookies } from "../http/answers";
import { answerFlood, createPageBudget } from "../http/page-budget";
import { metrics } from "../process/metrics";
import { createClientIpReader } from "./client-ip";
import { createDrain, type Drain } from "./drain";
import type { LogError } from "./error-log";
import { createFrontDoor } from "./front-door";
import { answerHealthCheck } from "./health";
import {
  answerMalformed,
  countLines,
  getPath,
  hasPlainHost,
  isFromProgram,
  isMalformed,
  joinSlashes,
  MALFORMED,
  UNLOGGED,
} from "./malformed";
import { answerMetrics } from "./metrics";
import { answerProtocolErrors } from "./protocol-errors";
import { createProxyWarning } from "./proxy-warning";
import { createRoutePatterns } from "./route-patterns";
import {
  FORGED,
  getListeningOrigin,
  getRoutedPath,
  HOST_UNKNOWN,
  hasSessionCookie,
  isFromSameOrigin,
  isLocalHost,
  isUnsafeMethod,
  recordForgery,
} from "./same-origin";
import { getSecurityHeaders, REPORT_PATH } from "./security-headers";
import { cutSlowClients, dropUnreadBody, REQUEST_MS_MAX } from "./slow-clients";

export interface HttpServerOptions {
  readonly build: ServerBuild;
  /** Loads the current build at each request, in development. */
  readonly reloadBuild?: (() => Promise<ServerBuild>) | undefined;
  readonly logger: Logger;
  /** The public origin, when it differs from the listening address. */
  readonly appOrigin: string | undefined;
  /** The address for reports of vulnerabilities. */
  readonly securityContact?: string | undefined;
  /** Allows anyone to create an account. */
  readonly isSignUpOpen: boolean;
  readonly host: string;
  /** Addresses and CIDR ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Checks whether this process can serve; never throws. */
  readonly isReady: () => Promise<boolean>;
  readonly logError: LogError;
  /** The token that reads /metrics. Without it, there are no metrics. */
  readonly metricsToken?: string | undefined;
  /** Serves files; calls `next` when it has none. */
  readonly serveStatic: (
    request: IncomingMessage,
    response: ServerResponse,
    next: () => void,
  ) => void;
  /** False sends the documented endpoints through Remix's router like all other paths. */
  readonly usesFrontDoor?: boolean | undefined;
}

/** Limits that disconnect slow and silent clients. Node would answer a missing Host with an empty body; `isMalformed` finds it. */
const HEADERS_TIMEOUT_MS = 10_000;
const CREATION_OPTIONS = { connectionsCheckingInterval: 2_000, requireHostHeader: false };

/** The API beside the documented endpoints. It takes no cookie, so a call cannot be forged. */
const API_PATTERN = "/api/*";
const REMIX_METHODS = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

/** A request in progress, with the data for its log line. */
interface Exchange {
  readonly context: AppLoadContext;
  route: string;
}

/** A message with its exchange. A WeakMap of all requests would make garbage collection slow. */
type ExchangedMessage = IncomingMessage & { exchange: Exchange };

/** The server, and the way to stop it. */
export interface HttpServer extends Pick<Drain, "drain"> {
  readonly server: Server;
}

/**
 * Creates the HTTP server. A request is offered to the front door, health checks, metrics, files and
 * Remix, in this order. Everything behind the front door is for browsers: a change there must come
 * from a page of this service.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { reloadBuild, logger, appOrigin, host, serveStatic, usesFrontDoor = true } = options;
  const proxies = createProxyWarning(logger);
  const readClientIp = createClientIpReader(options.trustedProxies, proxies.note);
  const takePage = createPageBudget();
  const securityHeaders = getSecurityHeaders(appOrigin?.startsWith("https:") ?? false);
  const server = createServer(CREATION_OPTIONS);
  const { admit, drain, underWay } = createDrain(server);
  let listeningOrigin: string | undefined;
  let app = createApp(options.build, reloadBuild ? "development" : "production");

  /** Creates a listener that finds its request's context; `env` is the adapter's. */
  const createListener = (handle: (request: Request, exchange: Exchange) => Promise<Response>) =>
    getRequestListener(
      async (request, env) => {
        const { incoming, outgoing } = env as HttpBindings;
        const { exchange } = incoming as ExchangedMessage;
        try {
          return await handle(request, exchange);
        } catch (error) {
          return answerError(error, exchange.context);
        } finally {
          await dropUnreadBody(incoming, outgoing);
        }
      },
      // A request whose URL cannot be built from its path and Host.
      { hostname: "localhost", errorHandler: () => answerMalformed() },
    );
  const serveApi = createListener((request, { route, context }) => {
    const handle = app.apiHandlers.get(route);
    if (!handle) throw new Error(`No endpoint at ${route}`);
    return handle(request, context);
  });
  const serveNotFound = createListener((_request, { context }) => answerNotFound({ context }));
  // Also for a target of which no URL can be made: then the listener's own error handler answers.
  const serveMalformed = createListener(async () => answerMalformed());
  const serveRemix = createListener(async (request, { context }) => {
    // It has been checked. Remix would compare it with a Host that a proxy may have changed.
    request.headers.delete("Origin");
    return setCookies(await app.handleByRemix(request, context), context);
  });

  /**
   * Decides whether a browser's request is refused. A change must come from a page of this service.
   * Without APP_ORIGIN, cookies and sign-ins are for local hosts only: behind a proxy, the cookie
   * would lack Secure, and wallets would sign for another domain.
   * @returns the text of the refusal, or null
   */
  function findRefusal(request: IncomingMessage, { context }: Exchange): string | null {
    const isUnsafe = isUnsafeMethod(request.method);
    if (!isUnsafe && (appOrigin !== undefined || !hasSessionCookie(request))) return null;
    const path = getRoutedPath(request.url);
    const pattern = app.findRoutePattern(path);
    if (path === REPORT_PATH || isOfApi(pattern)) return null;
    const hostname = request.headers.host ?? "";
    const isKnown = new URL(context.appOrigin).host === hostname || isLocalHost(hostname);
    if (appOrigin === undefined && !isKnown) return HOST_UNKNOWN;
    if (isUnsafe && !isFromSameOrigin(request, appOrigin, context.appOrigin)) return FORGED;
    return null;
  }

  /** Checks for a program's call of a path that does not exist: a page would tell it nothing. */
  function isMistypedCall(path: string, request: IncomingMessage): boolean {
    return isFromProgram(request) && app.findRoutePattern(path) === "unknown";
  }

  const isOfApi = (pattern: string) => pattern === API_PATTERN || app.apiHandlers.has(pattern);

  /** Checks for a path at which Remix would call an endpoint for the data of a page. */
  function isDataOfApi({ url }: IncomingMessage): boolean {
    const path = getRoutedPath(url);
    return path.endsWith(".data") && isOfApi(app.findRoutePattern(path));
  }

  /** Checks for a call of the API with an unknown method. */
  function isUnknownApiCall(path: string, method = "GET"): boolean {
    if (REMIX_METHODS.has(method)) return false;
    return path.startsWith("/api/") || app.apiHandlers.has(app.findRoutePattern(path));
  }

  function dispatch(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
    request.url = joinSlashes(request.url);
    const path = getPath(request.url);
    if (usesFrontDoor && app.apiHandlers.has(path) && hasPlainHost(request)) {
      exchange.route = path;
      void serveApi(request, response);
      return;
    }
    // Some answers are made without the exchange.
    response.setHeaders(new Map(Object.entries(exchange.context.replyHeaders)));
    const refusal = findRefusal(request, exchange);
    const isAnswered =
      answerHealthCheck(path, request, response, options.isReady) ||
      answerMetrics(path, options.metricsToken, request, response);
    if (isAnswered) {
      exchange.route = path;
    } else if (isMalformed(request)) {
      exchange.route = MALFORMED;
      void serveMalformed(request, response);
    } else if (isUnknownApiCall(path, request.method)) {
      // Remix would answer an unknown method itself, and not as the API does.
      exchange.route = app.findRoutePattern(path);
      void (app.apiHandlers.has(exchange.route) ? serveApi : serveNotFound)(request, response);
    } else if (isDataOfApi(request) || (refusal !== null && isMistypedCall(path, request))) {
      exchange.route = "unknown";
      void serveNotFound(request, response);
    } else if (refusal !== null) {
      exchange.route = app.findRoutePattern(path);
      if (refusal === FORGED) recordForgery(request, exchange.context, exchange.route);
      response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8" }).end(refusal);
    } else {
      serveStatic(request, response, () => {
        exchange.route = app.findRoutePattern(path);
        const isPublic = !isOfApi(exchange.route) && !exchange.route.startsWith("/dashboard");
        const waitSeconds = isPublic ? takePage(exchange.context.ip) : null;
        if (isMistypedCall(path, request)) void serveNotFound(request, response);
        else if (waitSeconds === null) void serveRemix(request, response);
        else answerFlood(response, waitSeconds);
      });
    }
  }

  server.on("request", (request, response) => {
    listeningOrigin ??= getListeningOrigin(host, request.socket.localPort ?? 0);
    const exchange = beginExchange(request, response, options, {
      readClientIp,
      findUntrustedProxy: proxies.find,
      appOrigin: appOrigin ?? listeningOrigin,
      securityHeaders,
    });
    (request as ExchangedMessage).exchange = exchange;
    admit(response, () => {
      const serve = async () => {
        if (reloadBuild) app = createApp(await reloadBuild(), "development");
        dispatch(request, response, exchange);
      };
      serve().catch((error) => {
        exchange.context.logError(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500, exchange.context.replyHeaders).end();
      });
    });
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_MS_MAX;
  cutSlowClients(underWay);
  answerProtocolErrors(server);
  server.keepAliveTimeout = 65_000;
  return { server, drain };
}

/** Creates the handlers of a Remix build. */
function createApp(build: ServerBuild, mode: "production" | "development") {
  return {
    apiHandlers: createFrontDoor(build),
    findRoutePattern: createRoutePatterns(build),
    handleByRemix: createRequestHandler(build, mode),
  };
}

function beginExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { logger, logError, isSignUpOpen, securityContact }: HttpServerOptions,
  settings: {
    readClientIp: ReturnType<typeof createClientIpReader>;
    findUntrustedProxy: () => string | null;
    appOrigin: string;
    securityHeaders: Readonly<Record<string, string>>;
  },
): Exchange {
  const { readClientIp, appOrigin, securityHeaders } = settings;
  const startedAt = performance.now();
  const requestId = parseRequestId(request.headers["x-request-id"]) ?? randomUUID();
  const traceId = parseTraceId(request.headers.traceparent);
  const log: AppLoadContext["log"] = {};
  const exchange: Exchange = {
    route: "file",
    context: {
      ip: readClientIp(
        request.socket.remoteAddress ?? "",
        // Node joins several lines of it into one text: only Set-Cookie is ever a list.
        request.headers["x-forwarded-for"] as string | undefined,
      ),
      untrustedProxy: settings.findUntrustedProxy(),
      appOrigin,
      isSignUpOpen,
      securityContact,
      requestId,
      isRepeated: (header) => countLines(request.rawHeaders, header.toLowerCase()) > 1,
      replyHeaders: { ...securityHeaders, "X-Request-Id": requestId },
      setCookies: [],
      log,
      breakConnection: () => request.socket.resetAndDestroy(),
      // A client that goes while it sends its body is no error.
      logError: (error) =>
        error === request.errored || logError({ requestId }, error, "unexpected error"),
      logViolation: (violation) => logger.warn({ requestId, violation }, "policy violation"),
    },
  };
  response.once("close", () => {
    const { route } = exchange;
    const status = response.writableFinished ? response.statusCode : 499;
    const tookMs = performance.now() - startedAt;
    metrics.requests.observe({ route, status }, tookMs / 1_000);
    logger[UNLOGGED.has(route) ? "debug" : "info"]({
      method: request.method,
      route,
      status,
      ms: Math.round(tookMs * 100) / 100,
      requestId,
      ...(traceId !== null && { traceId }),
      ...log,
    });
  });
  return exchange;
}
