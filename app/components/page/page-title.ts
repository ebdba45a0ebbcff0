import type { MetaFunction } from "@remix-run/react";

const PRODUCT = "Points and Rewards";

/** Returns the title of a dashboard's page: its name, and that of its point system if it has one. */
export function titlePage(title: string): MetaFunction {
  return ({ matches }) => {
    const layout = matches.find(({ id }) => id === "routes/dashboard/point-systems/layout");
    const data = layout?.data as { pointSystem: { name: string } } | undefined;
    return [{ title: `${title} · ${data?.pointSystem.name ?? PRODUCT}` }];
  };
}
