import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { requireOperator } from "../auth/request-operator";
import { Shell } from "../components/dashboard/shell";
import { listPointSystems } from "../services/point-systems";
import { page } from "./page.server";

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { id, name, email } = await requireOperator(args);
  const pointSystems = await listPointSystems(id);
  return {
    operator: { name, email },
    pointSystems: pointSystems.map((system) => ({ id: system.id, name: system.name })),
  };
});

export default function Dashboard() {
  const { operator, pointSystems } = useLoaderData<typeof loader>();
  return (
    <Shell operator={operator} pointSystems={pointSystems}>
      <Outlet />
    </Shell>
  );
}
