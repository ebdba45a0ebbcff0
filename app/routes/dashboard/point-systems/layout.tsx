import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useParams, useRouteLoaderData } from "@remix-run/react";
import { ErrorMessage } from "../../../components/page/error-message";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { getPointSystem } from "../../../services/point-systems/point-systems";

export const loader = page(async (args: LoaderFunctionArgs) => {
  return { pointSystem: await getPointSystem(await requireMember(args, "viewer")) };
});

/** The point system that the pages beneath this one are of, and what the reader may do in it. */
export function usePointSystem() {
  const data = useRouteLoaderData<typeof loader>("routes/dashboard/point-systems/layout");
  if (!data) throw new Error("This is no page of a point system");
  return data.pointSystem;
}

export default function PointSystem() {
  // Another point system's page begins anew: what was typed into this one's forms is not its.
  return <Outlet key={useParams().pointSystemId} />;
}

export function ErrorBoundary() {
  return <ErrorMessage home={{ label: "All point systems", to: "/dashboard" }} />;
}
