import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ProviderTable } from "../../../components/dashboard/scores/provider-table";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { requireAdministrator } from "../../../http/member";
import { page } from "../../../http/page";
import { findScoreServiceHost, listProviderStates } from "../../../services/scores/provider-states";

export const meta = titlePage("Score providers");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const administrator = await requireAdministrator(args);
  return {
    providers: await listProviderStates(administrator),
    serviceHost: findScoreServiceHost(administrator),
    readAt: Date.now(),
  };
});

export default function ScoreProviders() {
  const { providers, serviceHost, readAt } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title="Score providers" description="Data sources for wallet scores." />
      <div className="mt-6 grid gap-6">
        {serviceHost !== null && (
          <p className="break-words rounded-lg border border-line bg-raised px-4 py-3 text-sm">
            Scores come from another engine, at {serviceHost}. The providers below are not used.
          </p>
        )}
        <Card heading="Providers" aside="Limits are shared by all processes">
          <ProviderTable providers={providers} readAt={readAt} />
        </Card>
      </div>
    </>
  );
}
