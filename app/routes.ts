import { index, type RouteConfig, route } from "@remix-run/route-config";
import { getApiRouteId, listApiMounts } from "./api/endpoints";

/** The URL map: the documented endpoints at their three prefixes, then the pages. */
export default [
  ...listApiMounts().map(({ path, module }) =>
    route(path.slice(1), `api/${module}.ts`, { id: getApiRouteId(path) }),
  ),
  route("api/*", "api/not-found.ts"),
  index("routes/_index.tsx"),
  route("sign-in", "routes/_auth.sign-in.tsx"),
  route("sign-out", "routes/_auth.sign-out.ts"),
  route("set-up", "routes/_auth.set-up.tsx"),
  route("dashboard", "routes/dashboard.tsx", [
    index("routes/dashboard._index.tsx"),
    route(":pointSystemId", "routes/dashboard.$pointSystemId.tsx"),
  ]),
] satisfies RouteConfig;
