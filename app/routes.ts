import { type RouteConfig, route } from "@remix-run/route-config";
import { getApiRouteId, listApiMounts } from "./api/endpoints";

/** The URL map: the documented endpoints at their three prefixes, then the pages. */
export default [
  ...listApiMounts().map(({ path, module }) =>
    route(path.slice(1), `api/${module}.ts`, { id: getApiRouteId(path) }),
  ),
  route("api/*", "api/not-found.ts"),
  route("", "routes/_index.tsx", { index: true }),
] satisfies RouteConfig;
