import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { RewardList } from "../../../components/dashboard/rewards/list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { ButtonLink } from "../../../components/ui/button-link";
import { Card } from "../../../components/ui/card";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead } from "../../../domain/access/pages";
import { parseCursor } from "../../../domain/cursor";
import { parseUuid } from "../../../domain/uuid";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listRewardEntries, WALLETS_COUNTED_MAX } from "../../../services/rewards/list";
import { usePointSystem } from "../point-systems/layout";

export const meta = titlePage("Rewards");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("rewards"));
  const before = new URL(args.request.url).searchParams.get("before") ?? "";
  const cursor = parseCursor(before, "older", parseUuid);
  const { rows: rewards, older } = await listRewardEntries(member, cursor);
  return {
    rewards,
    older,
    isNewest: cursor === null,
    readAt: Date.now(),
    walletsCountedMax: WALLETS_COUNTED_MAX,
  };
});

export default function Rewards() {
  const { rewards, older, isNewest, readAt, walletsCountedMax } = useLoaderData<typeof loader>();
  const { id: pointSystemId, role } = usePointSystem();
  const base = `/dashboard/${pointSystemId}`;
  const canEdit = role !== "viewer";
  return (
    <>
      <PageHeader
        title="Rewards"
        description="Campaigns split a token amount among wallets by points. Gift cards are given by tiers."
        actions={
          canEdit && (
            <>
              <ButtonLink to={`${base}/gift-cards/new`} variant="quiet">
                New gift cards
              </ButtonLink>
              <ButtonLink to={`${base}/rewards/new`}>New campaign</ButtonLink>
            </>
          )
        }
      />
      <div className="mt-6">
        <Card heading="Rewards">
          <RewardList
            rewards={rewards}
            now={readAt}
            base={base}
            canEdit={canEdit}
            walletsCountedMax={walletsCountedMax}
          />
        </Card>
      </div>
      <CursorPager
        label="Pages of rewards"
        newerHref={isNewest ? null : "?"}
        newerLabel="Newest"
        olderHref={older && `?before=${older}`}
      />
    </>
  );
}
