import type { AppLoadContext } from "@remix-run/node";
import type { z } from "zod";
import { answerError, answerJson } from "../http/answers";
import { getRateLimitHeaders, RATE_LIMIT_HEADERS } from "../http/rate-limit";
import { checkMethod } from "../http/request";
import { admitPublicCall } from "../services/runtime/public-limit";
import type { Endpoint, Handler, Shapes } from "./endpoint";
import { API_ENDPOINTS, type PublicPath } from "./endpoints";
import { beginCall, noteRefusal, noteSuccess } from "./refusals";

/**
 * A documented endpoint that needs no key: pages of any origin may call it, a limited number of
 * times from each network. Checks run in this order: method, limit, input; then those of `handle`.
 */
export interface PublicEndpointDeclaration<Input, ReplySchema extends z.ZodType>
  extends Shapes<Input, ReplySchema> {
  readonly parse: (request: Request) => Input;
  readonly handle: (input: Input) => Promise<z.input<ReplySchema>>;
}

/** On every answer, refusals too: otherwise a page cannot tell why it was refused, and for how long. */
const CORS_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": `Link, ${RATE_LIMIT_HEADERS}, Retry-After, X-Request-Id`,
};

/** How long a browser need not ask again: a day. It keeps it for less if it likes. */
const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Max-Age": "86400",
};

/**
 * Makes the one function that serves a public endpoint as a Remix loader and action alike.
 * @param path the endpoint's row in `API_ENDPOINTS`
 */
export function publicEndpoint<Input, ReplySchema extends z.ZodType>(
  path: PublicPath,
  declaration: PublicEndpointDeclaration<Input, ReplySchema>,
): Endpoint<PublicEndpointDeclaration<unknown, z.ZodType>> {
  const serve: Handler = async ({ request, context }) => {
    if (isPreflight(request)) return answerPreflight(context);
    const call = beginCall(path, request, context);
    let headers: Record<string, string> = CORS_HEADERS;
    try {
      checkMethod(request.method, API_ENDPOINTS[path].method);
      const room = await admitPublicCall(context.ip);
      headers = { ...CORS_HEADERS, ...getRateLimitHeaders("public", room) };
      const input = declaration.parse(request);
      call.input = input;
      const body = await declaration.handle(input);
      noteSuccess(call);
      return answerJson(body, context, { headers });
    } catch (error) {
      noteRefusal(error, call);
      return answerError(error, context, headers);
    }
  };
  return Object.assign(serve, {
    declaration: declaration as PublicEndpointDeclaration<unknown, z.ZodType>,
  });
}

/** Whether a browser asks what a page may send. Any other OPTIONS is a method like others. */
function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/** Costs nothing, and so does not count. */
function answerPreflight({ replyHeaders }: Pick<AppLoadContext, "replyHeaders">): Response {
  return new Response(null, { status: 204, headers: { ...replyHeaders, ...PREFLIGHT_HEADERS } });
}
