import routes from "../../app/routes";

// The URL map as a list, so that a page that is added is swept with the others.

type Entry = (typeof routes)[number];

/** A page's path as in the URL map, with its parameters (`:name`) still in it. */
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
 * The path with its parameters put in. One that means something else after a certain word is given
 * with that word before it: `gift-cards/rewardId`.
 */
export function fillPath(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replace(
    /([^/]*)\/:(\w+)/g,
    (_, word: string, name: string) =>
      `${word}/${parameters[`${word}/${name}`] ?? parameters[name] ?? "nothing"}`,
  );
}
