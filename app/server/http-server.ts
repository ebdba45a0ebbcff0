import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/node";
import type { Logger } from "pino";

import { loader as answerNotFound } from "../api/not-found";
import { Failure } from "../domain/failure";
import { answerError } from "../http/answers";
import { describeFailure } from "../http/failures";
import { createClientIpReader } from "./client-ip";
import { createDrain, type Drain } from "./drain";
import type { LogError } from "./error-log";
import { createFrontDoor } from "./front-door";
import { answerHealthCheck } from "./health";
import { answerMetrics } from "./metrics";
import { createRoutePatterns } from "./route-patterns";
import { getListeningOrigin, getRoutedPath, isFromSameOrigin, isUnsafeMethod } from "./same-origin";
import { getSecurityHeaders, REPORT_PATH } from "./security-headers";
import { cutSlowBodies, REQUEST_MS_MAX } from "./slow-bodies";

export interface HttpServerOptions {
  readonly build: ServerBuild;
  /** Loads the current build at each request, in development. */
  readonly reloadBuild?: (() => Promise<ServerBuild>) | undefined;
  readonly logger: Logger;
  /** The public origin, when it differs from the listening address. */
  readonly appOrigin: string | undefined;
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

/** Limits that disconnect slow and silent clients. */
const HEADERS_TIMEOUT_MS = 10_000;
const CREATION_OPTIONS = { connectionsCheckingInterval: 2_000 };

/** The API beside the documented endpoints. It takes no cookie, so a call cannot be forged. */
const API_PATTERN = "/api/*";
const REMIX_METHODS = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

const FORGED =
  "Refused: the request did not come from a page of this service.\n" +
  "If it did, set APP_ORIGIN to the address in the browser.\n";

/** Hosts that are surely valid. */
const PLAIN_HOST = /^[a-z\d.-]+(:\d+)?$/;

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
  const { reloadBuild, logger, logError, appOrigin, isSignUpOpen, host, serveStatic } = options;
  const { usesFrontDoor = true } = options;
  const readClientIp = createClientIpReader(options.trustedProxies);
  const securityHeaders = getSecurityHeaders(appOrigin?.startsWith("https:") ?? false);
  const server = createServer(CREATION_OPTIONS);
  const { admit, drain, isDraining, underWay } = createDrain(server);
  let listeningOrigin: string | undefined;
  let app = createApp(options.build, reloadBuild ? "development" : "production");

  /** Creates a listener that finds its request's context; `env` is the adapter's. */
  const createListener = (handle: (request: Request, exchange: Exchange) => Promise<Response>) =>
    getRequestListener(
      async (request, env) => {
        const { exchange } = (env as HttpBindings).incoming as ExchangedMessage;
        try {
          return await handle(request, exchange);
        } catch (error) {
          return answerError(error, exchange.context);
        }
      },
      // A request whose URL cannot be built from its path and Host.
      { hostname: "localhost", errorHandler: () => answerBadRequest() },
    );
  const serveApi = createListener((request, { route, context }) => {
    const handle = app.apiHandlers.get(route);
    if (!handle) throw new Error(`No endpoint at ${route}`);
    return handle(request, context);
  });
  const serveNotFound = createListener((_request, { context }) => answerNotFound({ context }));
  const serveRemix = createListener((request, { context }) => {
    // The origin has been checked already. Remix would compare it with a Host that a proxy may have
    // changed.
    request.headers.delete("Origin");
    return app.handleByRemix(request, context);
  });

  /** Checks whether a request would make a change without coming from a page of this service. */
  function isForged(request: IncomingMessage, { context }: Exchange): boolean {
    if (!isUnsafeMethod(request.method)) return false;
    const path = getRoutedPath(request.url);
    const pattern = app.findRoutePattern(path);
    if (path === REPORT_PATH || pattern === API_PATTERN || app.apiHandlers.has(pattern))
      return false;
    return !isFromSameOrigin(request, appOrigin, context.appOrigin);
  }

  function dispatch(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
    const path = getPath(request.url);
    if (usesFrontDoor && app.apiHandlers.has(path)) {
      exchange.route = path;
      if (!PLAIN_HOST.test(request.headers.host ?? "")) setReplyHeaders(response, exchange);
      void serveApi(request, response);
      return;
    }
    setReplyHeaders(response, exchange);
    const isAnswered =
      answerHealthCheck(path, request, response, async () => !isDraining() && options.isReady()) ||
      answerMetrics(path, options.metricsToken, request, response);
    if (isAnswered) {
      exchange.route = path;
    } else if (isUnknownApiCall(path, request.method)) {
      exchange.route = API_PATTERN;
      void serveNotFound(request, response);
    } else if (isForged(request, exchange)) {
      exchange.route = app.findRoutePattern(path);
      response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8" }).end(FORGED);
    } else {
      serveStatic(request, response, () => {
        exchange.route = app.findRoutePattern(path);
        void serveRemix(request, response);
      });
    }
  }

  server.on("request", (request, response) => {
    listeningOrigin ??= getListeningOrigin(host, request.socket.localPort ?? 0);
    const exchange = beginExchange(request, response, {
      logger,
      logError,
      readClientIp,
      appOrigin: appOrigin ?? listeningOrigin,
      isSignUpOpen,
      securityHeaders,
    });
    (request as ExchangedMessage).exchange = exchange;
    admit(response, () => {
      if (!reloadBuild) return dispatch(request, response, exchange);
      reloadBuild().then(
        (build) => {
          app = createApp(build, "development");
          dispatch(request, response, exchange);
        },
        (error: unknown) => {
          exchange.context.logError(error);
          response.writeHead(500, exchange.context.replyHeaders).end();
        },
      );
    });
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_MS_MAX;
  cutSlowBodies(underWay);
  server.keepAliveTimeout = 65_000;
  return { server, drain };
}

/** Sets the headers of every answer, for answers that are made without the exchange. */
function setReplyHeaders(response: ServerResponse, { context }: Exchange): void {
  for (const [name, value] of Object.entries(context.replyHeaders)) response.setHeader(name, value);
}

function answerBadRequest(): Response {
  const { status, message } = describeFailure(new Failure("invalid_request"));
  const body = { error: message, message, code: "invalid_request" };
  return Response.json(body, { status, headers: { "Cache-Control": "no-store" } });
}

/**
 * Checks for a call of the API with an unknown method: Remix would answer it itself, and not as the
 * API does.
 */
function isUnknownApiCall(path: string, method = "GET"): boolean {
  return path.startsWith("/api/") && !REMIX_METHODS.has(method);
}

/** Creates the handlers of a Remix build. */
function createApp(build: ServerBuild, mode: "production" | "development") {
  return {
    apiHandlers: createFrontDoor(build),
    findRoutePattern: createRoutePatterns(build),
    handleByRemix: createRequestHandler(build, mode),
  };
}

function getPath(url = "/"): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

function beginExchange(
  request: IncomingMessage,
  response: ServerResponse,
  settings: {
    logger: Logger;
    logError: LogError;
    readClientIp: ReturnType<typeof createClientIpReader>;
    appOrigin: string;
    isSignUpOpen: boolean;
    securityHeaders: Readonly<Record<string, string>>;
  },
): Exchange {
  const { logger, logError, readClientIp, appOrigin, isSignUpOpen, securityHeaders } = settings;
  const startedAt = performance.now();
  const requestId = randomUUID();
  const log: AppLoadContext["log"] = {};
  const exchange: Exchange = {
    route: "file",
    context: {
      ip: readClientIp(
        request.socket.remoteAddress ?? "",
        // Node joins several lines of it into one text: only Set-Cookie is ever a list.
        request.headers["x-forwarded-for"] as string | undefined,
      ),
      appOrigin,
      isSignUpOpen,
      requestId,
      replyHeaders: { ...securityHeaders, "X-Request-Id": requestId },
      setCookies: [],
      log,
      logError: (error) => logError({ requestId }, error, "unexpected error"),
      logViolation: (violation) => logger.warn({ requestId, violation }, "policy violation"),
    },
  };
  response.once("close", () => {
    logger.info({
      method: request.method,
      route: exchange.route,
      status: response.writableFinished ? response.statusCode : 499,
      ms: Math.round((performance.now() - startedAt) * 100) / 100,
      requestId,
      ...log,
    });
  });
  return exchange;
}
