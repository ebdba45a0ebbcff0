import type {
  ActionFunctionArgs,
  AppLoadContext,
  LoaderFunctionArgs,
  ServerBuild,
} from "@remix-run/node";
import { getApiRouteId, listApiMounts, MANAGE_ROUTES } from "../api/endpoints";

/** Serves one request to a documented endpoint. */
export type ApiHandler = (request: Request, context: AppLoadContext) => Promise<Response>;

type RouteFunction = (args: LoaderFunctionArgs | ActionFunctionArgs) => Promise<Response>;

/** Methods that Remix gives to a route's loader; all others go to its action. */
const LOADER_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Maps each documented endpoint's exact path to its route module's loader and action from the Remix
 * build. Remix's router compiles every route's pattern for each request, which costs twenty times
 * as much as an endpoint; this map is a look-up.
 */
export function createFrontDoor(build: ServerBuild): ReadonlyMap<string, ApiHandler> {
  const handlers = new Map<string, ApiHandler>();
  // A pattern is among them, so that a path which the router takes for it counts as the API's.
  for (const path of [...listApiMounts().map((mount) => mount.path), ...MANAGE_ROUTES]) {
    const module = build.routes[getApiRouteId(path)]?.module;
    if (!module?.loader || !module.action) throw new Error(`The build lacks the route ${path}`);
    const loader = module.loader as RouteFunction;
    const action = module.action as RouteFunction;
    handlers.set(path, (request, context) => {
      const serve = LOADER_METHODS.has(request.method) ? loader : action;
      return serve({ request, context, params: {} });
    });
  }
  return handlers;
}
