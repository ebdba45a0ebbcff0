import routes from "../../app/routes";

// The URL map as a list, so that the sweeps include new pages.

type Entry = (typeof routes)[number];

/** Lists the pages' paths as in the URL map, with their parameters (`:name`). */
export function listPagePaths(): string[] {
  return routes
    .filter(({ file }) => !file.startsWith("api/"))
    .flatMap((entry) => expand(entry, ""));
}

function expand({ path = "", children = [] }: Entry, parent: string): string[] {
  const own = path === "" ? parent : `${parent}/${path}`;
  return [own || "/", ...children.flatMap((child) => expand(child, own))];
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
