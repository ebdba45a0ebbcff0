import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { requireOperator } from "../../../auth/request-operator";
import { PointSystemIdentifiers } from "../../../components/dashboard/point-systems/identifiers";
import { SandboxBadge } from "../../../components/dashboard/shell/sandbox-badge";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { getButtonClass } from "../../../components/ui/button";
import { EmptyState } from "../../../components/ui/empty-state";
import { Count, Day } from "../../../components/ui/local";
import { page } from "../../../http/page";
import { listPointSystems } from "../../../services/point-systems/point-systems";

export const meta = titlePage("Point systems");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const operator = await requireOperator(args);
  return { pointSystems: await listPointSystems(operator.id) };
});

export default function PointSystems() {
  const { pointSystems } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="Point systems"
        actions={
          pointSystems.length > 0 && (
            <Link to="/dashboard/new" className={getButtonClass()}>
              New point system
            </Link>
          )
        }
      />
      {pointSystems.length === 0 ? (
        <div className="mt-6 rounded-xl border border-dashed border-line bg-raised">
          <EmptyState heading="No point systems yet">
            <p>Each point system has its own triggers, wallets and leaderboard.</p>
            <Link to="/dashboard/new" className={`mt-5 ${getButtonClass()}`}>
              Create a point system
            </Link>
          </EmptyState>
        </div>
      ) : (
        <ul className="mt-6 grid gap-4 xl:grid-cols-2">
          {pointSystems.map((pointSystem) => (
            <li
              key={pointSystem.id}
              className="min-w-0 rounded-xl border border-line bg-raised p-4 shadow-sm sm:p-5"
            >
              <h2 className="break-words text-lg font-semibold">
                <Link
                  to={`/dashboard/${pointSystem.id}`}
                  className="rounded underline-offset-4 hover:underline"
                >
                  {pointSystem.name}
                </Link>{" "}
                <SandboxBadge isSandbox={pointSystem.isSandbox} />
                {pointSystem.role !== "owner" && (
                  <span className="ml-2 text-sm font-normal text-ink-muted">
                    as {pointSystem.role}
                  </span>
                )}
              </h2>
              <dl className="mb-4 mt-3 flex flex-wrap gap-x-8 gap-y-2 text-sm">
                <div>
                  <dt className="text-ink-muted">Wallets</dt>
                  <dd className="font-medium tabular-nums">
                    <Count value={pointSystem.wallets} />
                  </dd>
                </div>
                <div>
                  <dt className="text-ink-muted">Events</dt>
                  <dd className="font-medium tabular-nums">
                    <Count value={pointSystem.events} />
                  </dd>
                </div>
                <div>
                  <dt className="text-ink-muted">Created</dt>
                  <dd className="font-medium">
                    <Day date={pointSystem.createdAt} />
                  </dd>
                </div>
              </dl>
              <PointSystemIdentifiers pointSystem={pointSystem} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
