import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { findOperator, requireOperator } from "../../auth/request-operator";
import { redirectToSignIn } from "../../auth/wanted-page";
import { AccountNotices } from "../../components/dashboard/accounts/account-notices";
import { Shell } from "../../components/dashboard/shell/shell";
import { Alert } from "../../components/ui/alert";
import { Notice } from "../../components/ui/notice";
import { takeNotice } from "../../http/notice";
import { page } from "../../http/page";
import { readTheme } from "../../http/theme";
import { listNotices } from "../../services/accounts/notices";
import { listPointSystems } from "../../services/point-systems/point-systems";
import { canResolveNames } from "../../services/search/wallet-search";

export const loader = page(async (args: LoaderFunctionArgs) => {
  if (!(await findOperator(args))) throw await redirectToSignIn(args);
  const operator = await requireOperator(args);
  const { name, email, isAdministrator } = operator;
  const pointSystems = await listPointSystems(operator.id);
  return {
    operator: { name, email, isAdministrator },
    pointSystems: pointSystems.map(({ id, name, role, isSandbox }) => ({
      id,
      name,
      role,
      isSandbox,
    })),
    untrustedProxy: isAdministrator ? args.context.untrustedProxy : null,
    accountNotices: await listNotices(operator.id),
    readAt: Date.now(),
    canResolveNames: canResolveNames(),
    theme: await readTheme(args.request, args.context),
    notice: await takeNotice(args.request, args.context),
  };
});

export default function Dashboard() {
  const { operator, pointSystems, theme, untrustedProxy, notice, accountNotices, readAt } =
    useLoaderData<typeof loader>();
  return (
    <>
      <Shell
        operator={operator}
        pointSystems={pointSystems}
        theme={theme}
        notices={
          accountNotices.length > 0 && <AccountNotices notices={accountNotices} readAt={readAt} />
        }
      >
        {untrustedProxy && (
          <div className="mb-6">
            <Alert>
              Requests come through {untrustedProxy} with X-Forwarded-For, and TRUSTED_PROXIES does
              not name it. If that is your proxy, set TRUSTED_PROXIES to it: until then all visitors
              share its limits.
            </Alert>
          </div>
        )}
        <Outlet />
      </Shell>
      <Notice notice={notice} />
    </>
  );
}
