import { randomBytes, randomUUID } from "node:crypto";
import type { AppLoadContext } from "@remix-run/node";
import { expect } from "vitest";
import type { Endpoint } from "../../app/api/endpoint";
import { type EndpointPath, isManagePath, listApiMounts } from "../../app/api/endpoints";

interface EndpointModule {
  readonly loader: Endpoint;
  readonly action: Endpoint;
}

const MODULES = import.meta.glob<EndpointModule>("../../app/api/**/*.ts");

/** Loads the module of an endpoint. */
export async function loadEndpoint(endpoint: EndpointPath): Promise<EndpointModule> {
  if (isManagePath(endpoint)) {
    const { OPERATIONS } = await import("../../app/api/manage/operations");
    return { loader: OPERATIONS[endpoint], action: OPERATIONS[endpoint] };
  }
  const load = MODULES[`../../app/api/${endpoint}.ts`];
  if (!load) throw new Error(`app/api has no module ${endpoint}`);
  return load();
}

const ENDPOINTS_BY_PATH = new Map(listApiMounts().map(({ path, endpoint }) => [path, endpoint]));

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any answer
  readonly body: any;
}

/** Creates an address in an unused network, so that the limits per network do not apply. */
export function createIp(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}

/** Creates the context that the server passes to a route. */
export function createContext(ip: string, onError: (error: unknown) => void): AppLoadContext {
  return {
    ip,
    appOrigin: "http://test.local",
    isSignUpOpen: false,
    untrustedProxy: null,
    requestId: randomUUID(),
    isRepeated: () => false,
    replyHeaders: {},
    setCookies: [],
    log: {},
    breakConnection: () => {},
    logError: onError,
    logViolation: onError,
  };
}

/**
 * Calls an endpoint as the server does, without a server, and checks every 200 against the reply
 * schema that the endpoint declares. An unexpected error fails the test unless `onError` takes it.
 */
export async function call(
  path: string,
  { ip = createIp(), ...init }: RequestInit & { duplex?: "half"; ip?: string } = {},
  onError: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<Answer> {
  const request = new Request(new URL(path, "http://test.local"), init);
  const endpoint = ENDPOINTS_BY_PATH.get(new URL(request.url).pathname);
  if (!endpoint) throw new Error(`No endpoint at ${path}`);
  const module = await loadEndpoint(endpoint);
  const context = createContext(ip, onError);
  const serve = ["GET", "HEAD", "OPTIONS"].includes(request.method) ? module.loader : module.action;
  const response = await serve({ request, context, params: {} });
  const text = await response.text();
  const body = text === "" ? null : JSON.parse(text);
  if (response.status === 200) expect(serve.declaration.reply.parse(body)).toEqual(body);
  return { status: response.status, headers: response.headers, body };
}
