import type { NeededPermission } from "../domain/access/api-key";
import { MANAGE_ENDPOINTS, MANAGE_PREFIX } from "./manage-endpoints";

/** The path prefixes under which each documented endpoint is served. */
export const API_PREFIXES = ["/", "/api/", "/api/sdk/"] as const;

interface EndpointRow {
  readonly method: "GET" | "POST";
  /** The permission that the caller's key needs; null for an endpoint that takes no key. */
  readonly permission: NeededPermission | null;
  readonly summary: string;
}

/** The endpoints of applications. The module in this folder has the same path. */
export const CLIENT_ENDPOINTS = {
  trigger: {
    method: "POST",
    permission: "trigger",
    summary: "Credits a trigger's points to a wallet",
  },
  "trigger/batch": {
    method: "POST",
    permission: "trigger",
    summary: "Credits up to 1,000 calls at once, each with a verdict of its own",
  },
  spend: { method: "POST", permission: "trigger", summary: "Spends points of a wallet" },
  "spend/reverse": {
    method: "POST",
    permission: "trigger",
    summary: "Gives the points of a spend back, once",
  },
  balance: {
    method: "GET",
    permission: "read",
    summary: "Gives what a wallet has earned, has spent and has left",
  },
  leaderboard: {
    method: "GET",
    permission: "read",
    summary: "Lists the wallets of a point system, best first",
  },
  wallet: { method: "GET", permission: "read", summary: "Gives a wallet's points and rank" },
  wallets: {
    method: "POST",
    permission: "trigger",
    summary: "Registers a wallet that has no points yet",
  },
  activity: { method: "GET", permission: "read", summary: "Lists point events, newest first" },
  rewards: {
    method: "GET",
    permission: "read",
    summary: "Lists token rewards, or a wallet's part in them",
  },
  "rewards/proof": {
    method: "GET",
    permission: null,
    summary: "Gives the merkle proof that claims a wallet's tokens",
  },
  "rewards/claim-status": {
    method: "GET",
    permission: null,
    summary: "Lists what a wallet can claim and has claimed",
  },
  points: {
    method: "GET",
    permission: "read",
    summary: "Gives a wallet's points in every point system of the key",
  },
  score: {
    method: "GET",
    permission: "read",
    summary: "Gives a wallet's reputation on public chains, 0 to 100",
  },
} as const satisfies Record<string, EndpointRow>;

/**
 * All documented endpoints by their path after the prefix. The URL map, the front door, the
 * reference and the tests' sweeps follow from this table.
 */
export const API_ENDPOINTS = { ...CLIENT_ENDPOINTS, ...MANAGE_ENDPOINTS } as const;

type Endpoints = typeof API_ENDPOINTS;
/** The path of a documented endpoint, after the prefix. */
export type EndpointPath = keyof Endpoints;
/** The path of an endpoint that needs a key. */
export type KeyedPath = {
  [Path in EndpointPath]: Endpoints[Path]["permission"] extends null ? never : Path;
}[EndpointPath];
/** The path of an endpoint that takes no key. */
export type PublicPath = Exclude<EndpointPath, KeyedPath>;

/** The path of an endpoint of the management API. */
export type ManagePath = keyof typeof MANAGE_ENDPOINTS;
/** The path of an endpoint of applications. */
export type ClientPath = keyof typeof CLIENT_ENDPOINTS;

/** Checks whether an endpoint is of the management API. */
export function isManagePath(path: EndpointPath): path is ManagePath {
  return Object.hasOwn(MANAGE_ENDPOINTS, path);
}

/** The paths of the three routes that serve the management API. */
export const MANAGE_ROUTES = API_PREFIXES.map((prefix) => `${prefix}${MANAGE_PREFIX}*`);

/** Makes the id of a mount's route in the Remix build; the management API has one under a prefix. */
export function getApiRouteId(path: string): string {
  const isOfRoute = (route: string) => path.startsWith(route.slice(0, -1));
  return `api:${MANAGE_ROUTES.find(isOfRoute) ?? path}`;
}

/** Lists every mount of every endpoint: the full path, and the endpoint's path after the prefix. */
export function listApiMounts(): { path: string; endpoint: EndpointPath }[] {
  const endpoints = Object.keys(API_ENDPOINTS) as EndpointPath[];
  return API_PREFIXES.flatMap((prefix) =>
    endpoints.map((endpoint) => ({ path: `${prefix}${endpoint}`, endpoint })),
  );
}
