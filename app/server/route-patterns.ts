import type { ServerBuild } from "@remix-run/node";
import { matchRoutes } from "@remix-run/react";

interface PatternRoute {
  id: string;
  path?: string;
  index?: boolean;
  children: PatternRoute[];
}

/**
 * Creates a function that finds the pattern of the route for a path. The log shows patterns, which
 * contain no address, token or personal name. A path without a route is `unknown`.
 */
export function createRoutePatterns(build: ServerBuild): (path: string) => string {
  const byId = new Map<string, PatternRoute>();
  for (const { id, path, index } of Object.values(build.routes)) {
    byId.set(id, { id, children: [], ...(path && { path }), ...(index && { index }) });
  }
  const roots: PatternRoute[] = [];
  for (const { id, parentId } of Object.values(build.routes)) {
    const siblings = parentId === undefined ? roots : byId.get(parentId)?.children;
    siblings?.push(byId.get(id) as PatternRoute);
  }
  return (path) => {
    // Scripts request a page's data at its path with this ending.
    const pagePath = path.replace(/\.data$/, "");
    const matches = matchRoutes(roots as Parameters<typeof matchRoutes>[0], pagePath);
    if (!matches) return "unknown";
    return `/${matches.flatMap(({ route }) => route.path ?? []).join("/")}`;
  };
}
