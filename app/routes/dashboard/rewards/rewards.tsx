import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { RewardList } from "../../../components/dashboard/rewards/list";
import { PageHeader } from "../../../components/page/page-header";
import { ButtonLink } from "../../../components/ui/button-link";
import { Card } from "../../../components/ui/card";
import { CursorPager } from "../../../components/ui/pager";
import { formatFeedCursor, parseFeedCursor } from "../../../domain/activity/filter";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listRewards, WALLETS_COUNTED_MAX } from "../../../services/rewards/list";
import { usePointSystem } from "../point-systems/layout";

export const meta: MetaFunction = () => [{ title: "Rewards · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, "viewer");
  const before = parseFeedCursor(new URL(args.request.url).searchParams.get("before") ?? "");
  const list = await listRewards(member, before && { createdAt: before.date, id: before.id });
  return {
    ...list,
    isNewest: before === null,
    readAt: Date.now(),
    walletsCountedMax: WALLETS_COUNTED_MAX,
  };
});

export default function Rewards() {
  const { rewards, hasMore, isNewest, readAt, walletsCountedMax } = useLoaderData<typeof loader>();
  const { id: pointSystemId, role } = usePointSystem();
  const base = `/dashboard/${pointSystemId}`;
  const canEdit = role !== "viewer";
  const last = rewards.at(-1);
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
        olderHref={
          hasMore && last
            ? `?before=${formatFeedCursor({ date: last.createdAt, id: last.id })}`
            : null
        }
      />
    </>
  );
}
