import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { requireOperator } from "../../auth/request-operator";
import { Shell } from "../../components/dashboard/shell/shell";
import { Notice } from "../../components/ui/notice";
import { takeNotice } from "../../http/notice";
import { page } from "../../http/page";
import { listPointSystems } from "../../services/point-systems/point-systems";

export const loader = page(async (args: LoaderFunctionArgs) => {
  const operator = await requireOperator(args);
  const { name, email, isAdministrator } = operator;
  const pointSystems = await listPointSystems(operator.id);
  return {
    operator: { name, email, isAdministrator },
    pointSystems: pointSystems.map(({ id, name, role }) => ({ id, name, role })),
    notice: await takeNotice(args.request, args.context),
  };
});

export default function Dashboard() {
  const { operator, pointSystems, notice } = useLoaderData<typeof loader>();
  return (
    <>
      <Shell operator={operator} pointSystems={pointSystems}>
        <Outlet />
      </Shell>
      <Notice notice={notice} />
    </>
  );
}
