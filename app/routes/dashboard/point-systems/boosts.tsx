import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { BoostList } from "../../../components/dashboard/point-systems/boost-list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { ButtonLink } from "../../../components/ui/button-link";
import { mayRead } from "../../../domain/access/pages";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listBoosts } from "../../../services/point-systems/boost-list";
import { usePointSystem } from "./layout";

export const meta = titlePage("Boosts");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("boosts"));
  return { boosts: await listBoosts(pointSystemId), readAt: Date.now() };
});

export default function Boosts() {
  const { boosts, readAt } = useLoaderData<typeof loader>();
  const canEdit = usePointSystem().role !== "viewer";
  return (
    <>
      <PageHeader
        title="Boosts"
        description="Times in which triggers are worth more."
        actions={canEdit && <ButtonLink to="new">New boost</ButtonLink>}
      />
      <div className="mt-6 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        <BoostList boosts={boosts} now={readAt} />
      </div>
    </>
  );
}
