import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { IndexerCard } from "../../../components/dashboard/claims/indexer-card";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { EmptyState } from "../../../components/ui/empty-state";
import { requireAdministrator } from "../../../http/member";
import { page } from "../../../http/page";
import { listFollowerStates } from "../../../services/follower/states";

export const meta = titlePage("Claim indexer");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const administrator = await requireAdministrator(args);
  return { states: await listFollowerStates(administrator), readAt: Date.now() };
});

export default function Indexer() {
  const { states, readAt } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="Claim indexer"
        description="Progress of the claim indexer on each chain."
      />
      <div className="mt-6 grid gap-6">
        {states.length === 0 && (
          <EmptyState heading="No chain is set up">
            Set RPC_URL_8453, or the setting of another reward chain, to a JSON-RPC endpoint.
          </EmptyState>
        )}
        {states.map((state) => (
          <IndexerCard key={state.chainId} state={state} readAt={readAt} />
        ))}
      </div>
    </>
  );
}
