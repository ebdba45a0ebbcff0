import { randomBytes } from "node:crypto";
import type { AppLoadContext } from "@remix-run/node";
import { expect } from "vitest";
import type { z } from "zod";
import * as activity from "../../app/api/activity";
import type { Endpoint, EndpointDeclaration } from "../../app/api/endpoint";
import { type API_ENDPOINTS, listApiMounts } from "../../app/api/endpoints";
import * as leaderboard from "../../app/api/leaderboard";
import * as points from "../../app/api/points";
import type { PublicEndpointDeclaration } from "../../app/api/public-endpoint";
import * as rewardsClaimStatus from "../../app/api/rewards/claim-status";
import * as rewardsProof from "../../app/api/rewards/proof";
import * as rewards from "../../app/api/rewards/rewards";
import * as score from "../../app/api/score";
import * as trigger from "../../app/api/trigger";
import * as wallet from "../../app/api/wallet";

type AnyEndpoint = Endpoint<
  EndpointDeclaration<unknown, z.ZodType> | PublicEndpointDeclaration<unknown, z.ZodType>
>;

interface EndpointModule {
  readonly loader: AnyEndpoint;
  readonly action: AnyEndpoint;
}

/** Every endpoint's module, by its name. */
const ENDPOINT_MODULES: Record<(typeof API_ENDPOINTS)[keyof typeof API_ENDPOINTS], EndpointModule> =
  {
    trigger,
    leaderboard,
    wallet,
    activity,
    "rewards/rewards": rewards,
    "rewards/proof": rewardsProof,
    "rewards/claim-status": rewardsClaimStatus,
    points,
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

/** A network of its own: limits per network are met by whoever asks for one. */
export function createIp(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}

/** What the server gives a route beside the request. */
export function createContext(ip: string, onError: (error: unknown) => void): AppLoadContext {
  return {
    ip,
    appOrigin: "http://test.local",
    isSignUpOpen: false,
    requestId: "test",
    replyHeaders: {},
    setCookies: [],
    log: {},
    logError: onError,
    logViolation: onError,
  };
}

/**
 * Calls an endpoint as the server does, without a server, and holds every 200 against the reply
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
  const module = MODULES_BY_PATH.get(new URL(request.url).pathname);
  if (!module) throw new Error(`No endpoint at ${path}`);
  const context = createContext(ip, onError);
  const serve = ["GET", "HEAD", "OPTIONS"].includes(request.method) ? module.loader : module.action;
  const response = await serve({ request, context, params: {} });
  const text = await response.text();
  const body = text === "" ? null : JSON.parse(text);
  if (response.status === 200) expect(serve.declaration.reply.parse(body)).toEqual(body);
  return { status: response.status, headers: response.headers, body };
}
