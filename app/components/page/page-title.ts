import type { MetaFunction } from "@remix-run/react";

const PRODUCT = "Points and Rewards";

/**
 * Returns the title of a dashboard's page: its name, and that of its point system if it has one.
 * @param title the name, or a function that reads it from the page's data, which is missing on a failure
 */
export function titlePage<Data = unknown>(
  title: string | ((data: Data | undefined) => string),
): MetaFunction {
  return ({ data, matches }) => {
    const name = typeof title === "string" ? title : title(data as Data | undefined);
    const layout = matches.find(({ id }) => id === "routes/dashboard/point-systems/layout");
    const { pointSystem } = (layout?.data ?? {}) as { pointSystem?: { name: string } };
    return [{ title: `${name} · ${pointSystem?.name ?? PRODUCT}` }];
  };
}
