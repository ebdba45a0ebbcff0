import type { AppLoadContext } from "@remix-run/node";
import { expect } from "vitest";
import * as activity from "../app/api/activity";
import type { Endpoint } from "../app/api/endpoint";
import { type API_ENDPOINTS, listApiMounts } from "../app/api/endpoints";
import * as leaderboard from "../app/api/leaderboard";
import * as score from "../app/api/score";
import * as trigger from "../app/api/trigger";
import * as wallet from "../app/api/wallet";

interface EndpointModule {
  readonly loader: Endpoint;
  readonly action: Endpoint;
}

/** Every endpoint's module, by its name. */
const ENDPOINT_MODULES: Record<keyof typeof API_ENDPOINTS, EndpointModule> = {
  trigger,
  leaderboard,
  wallet,
  activity,
  score,
};

const MODULES_BY_PATH = new Map(
  listApiMounts().map(({ path, module }) => [
    path,
    ENDPOINT_MODULES[module as keyof typeof ENDPOINT_MODULES],
  ]),
);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any answer
  readonly body: any;
}

/**
 * Calls an endpoint as the server does, without a server, and holds every 200 against the reply
 * schema that the endpoint declares. An unexpected error fails the test unless `onError` takes it.
 */
export async function call(
  path: string,
  init: RequestInit & { duplex?: "half" } = {},
  onError: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<Answer> {
  const request = new Request(new URL(path, "http://test.local"), init);
  const module = MODULES_BY_PATH.get(new URL(request.url).pathname);
  if (!module) throw new Error(`No endpoint at ${path}`);
  const context: AppLoadContext = {
    ip: "127.0.0.1",
    appOrigin: "http://test.local",
    isSignUpOpen: false,
    requestId: "test",
    replyHeaders: {},
    setCookies: [],
    log: {},
    logError: onError,
    logViolation: onError,
  };
  const serve = ["GET", "HEAD", "OPTIONS"].includes(request.method) ? module.loader : module.action;
  const response = await serve({ request, context, params: {} });
  const body = await response.json();
  if (response.status === 200) expect(serve.declaration.reply.parse(body)).toEqual(body);
  return { status: response.status, headers: response.headers, body };
}
