import routes from "../../app/routes";

// The URL map as a list, so that the sweeps include new pages.

type Entry = (typeof routes)[number];

/** A path of the URL map with its parameters (`:name`) still in it, and whether it shows a page. */
interface MappedPath {
  readonly path: string;
  /** False for a route that answers a file, JSON, a stream or a redirect only. */
  readonly isPage: boolean;
}

/** Lists every path of the URL map but those of the documented endpoints. */
function listPaths(): MappedPath[] {
  return routes
    .filter(({ file }) => !file.startsWith("api/"))
    .flatMap((entry) => expand(entry, ""));
}

function expand({ path = "", file, children = [] }: Entry, parent: string): MappedPath[] {
  const own = path === "" ? parent : `${parent}/${path}`;
  const mapped = { path: own || "/", isPage: file.endsWith(".tsx") };
  return [mapped, ...children.flatMap((child) => expand(child, own))];
}

/** Lists the paths of pages, and of the routes that answer something else. */
export function listPagePaths(): string[] {
  return [...new Set(listPaths().map(({ path }) => path))];
}

/** Lists the paths that show a page. */
export function listShownPaths(): string[] {
  return [...new Set(listPaths().flatMap(({ path, isPage }) => (isPage ? [path] : [])))];
}

/**
 * Fills the parameters into a path. A parameter that has another meaning after a certain word is
 * given with that word before it: `gift-cards/rewardId`.
 */
export function fillPath(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replace(
    /([^/]*)\/:(\w+)/g,
    (_, word: string, name: string) =>
      `${word}/${parameters[`${word}/${name}`] ?? parameters[name] ?? "nothing"}`,
  );
}
