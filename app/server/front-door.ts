import type {
  ActionFunctionArgs,
  AppLoadContext,
  LoaderFunctionArgs,
  ServerBuild,
} from "@remix-run/node";
import { getApiRouteId, listApiMounts } from "../api/endpoints";

/** Serves one request to a documented endpoint. */
export type ApiHandler = (request: Request, context: AppLoadContext) => Promise<Response>;

type RouteFunction = (args: LoaderFunctionArgs | ActionFunctionArgs) => Promise<Response>;

/** Methods that Remix gives to a route's loader; the others go to its action. */
const LOADER_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * The documented endpoints by their exact path, each the route module's own loader and action from
 * the Remix build. Remix's router compiles every route's pattern anew for each request, which costs
 * twenty times what an endpoint does; this is a look-up.
 */
export function createFrontDoor(build: ServerBuild): ReadonlyMap<string, ApiHandler> {
  const handlers = new Map<string, ApiHandler>();
  for (const { path } of listApiMounts()) {
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
