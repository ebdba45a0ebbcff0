import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useParams, useRouteLoaderData } from "@remix-run/react";
import { ErrorMessage } from "../../../components/page/error-message";
import { mayRead } from "../../../domain/access/pages";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { getPointSystem } from "../../../services/point-systems/point-systems";

export const loader = page(async (args: LoaderFunctionArgs) => {
  return { pointSystem: await getPointSystem(await requireMember(args, mayRead(""))) };
});

/** Returns the point system of the pages beneath this one, with the member's role in it. */
export function usePointSystem() {
  const data = useRouteLoaderData<typeof loader>("routes/dashboard/point-systems/layout");
  if (!data) throw new Error("This is no page of a point system");
  return data.pointSystem;
}

export default function PointSystem() {
  // The key gives another point system a new page, so that no form keeps text from this one.
  return <Outlet key={useParams().pointSystemId} />;
}

export function ErrorBoundary() {
  return <ErrorMessage home={{ label: "All point systems", to: "/dashboard" }} />;
}
