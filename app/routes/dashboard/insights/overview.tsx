import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData, useRevalidator } from "@remix-run/react";
import { ChartCard } from "../../../components/dashboard/insights/chart-card";
import { FirstSteps } from "../../../components/dashboard/insights/first-steps";
import { LeaderTable } from "../../../components/dashboard/insights/leader-table";
import { LiveFeed } from "../../../components/dashboard/insights/live-feed";
import { OverviewTabs } from "../../../components/dashboard/insights/overview-tabs";
import { RefusedCalls } from "../../../components/dashboard/insights/refused-calls";
import { RewardSummaries } from "../../../components/dashboard/insights/reward-summary";
import { Change, SummaryFigure } from "../../../components/dashboard/insights/summary-figure";
import { TopTriggers } from "../../../components/dashboard/insights/top-triggers";
import { TriggerSnippet } from "../../../components/dashboard/point-systems/trigger-snippet";
import { PageHeader } from "../../../components/page/page-header";
import { Alert } from "../../../components/ui/alert";
import { Card } from "../../../components/ui/card";
import { DailyChart } from "../../../components/ui/charts/lazy-chart";
import { Sparkline } from "../../../components/ui/charts/sparkline";
import { CopyTextButton } from "../../../components/ui/copy-button";
import { Tabs } from "../../../components/ui/tabs";
import { mayRead } from "../../../domain/access/pages";
import {
  REFUSED_CALLS_RANGES,
  type RefusedCallsRange,
  STATISTICS_DAYS,
} from "../../../domain/insights/overview-range";
import { nameTriggers } from "../../../domain/point-systems/trigger-key";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { getPointSystemOverview } from "../../../services/insights/overview";
import { countGivenUpWebhooks } from "../../../services/webhooks/webhooks";
import { readOverviewQuery } from "./overview.inputs.server";
import { groupRefusedCalls } from "./refused-calls.server";

const REFUSED_LABELS: Record<RefusedCallsRange, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
};

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? [{ title: `${data.pointSystem.name} · Points and Rewards` }] : [];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead(""));
  const range = readOverviewQuery(args.request);
  const [{ refusedCalls, ...overview }, givenUpWebhooks] = await Promise.all([
    getPointSystemOverview(member, range),
    countGivenUpWebhooks(member),
  ]);
  return {
    ...overview,
    givenUpWebhooks,
    range,
    refusals: groupRefusedCalls(refusedCalls),
    origin: args.context.appOrigin,
    readAt: Date.now(),
  };
});

export default function Overview() {
  const data = useLoaderData<typeof loader>();
  const { pointSystem, range } = data;
  const hasEvents = data.latestEvents.length > 0 || pointSystem.events > 0;
  const daysTabs = STATISTICS_DAYS.map((days) => ({
    label: `${days} days`,
    to: `?days=${days}&refused=${range.refused}`,
    isCurrent: days === range.days,
  }));
  return (
    <>
      <PageHeader
        title={pointSystem.name}
        actions={
          <>
            <CopyTextButton text={pointSystem.id} label="Copy ID" />
            {hasEvents && <Tabs label="Days shown" tabs={daysTabs} />}
          </>
        }
      />
      {hasEvents && (
        <div className="mt-4">
          <OverviewTabs pointSystemId={pointSystem.id} current="" />
        </div>
      )}
      {data.givenUpWebhooks > 0 && (
        <div className="mt-4">
          <Alert>
            A webhook failed for three days and was switched off.{" "}
            <Link to={`/dashboard/${pointSystem.id}/webhooks`} className="underline">
              Show the webhooks
            </Link>
          </Alert>
        </div>
      )}
      {hasEvents && <Figures {...data} />}
      <div className="mt-4 grid items-start gap-4 xl:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          {!hasEvents && <FirstStepsCard {...data} />}
          {hasEvents && <TopTriggersCard {...data} />}
          <Feed {...data} key={pointSystem.id} />
        </div>
        <div className="grid min-w-0 gap-4">
          {hasEvents && (
            <Card heading="Leaderboard" aside="Top 10">
              <LeaderTable leaders={data.leaders} pointSystemId={pointSystem.id} />
            </Card>
          )}
          {data.rewards.length > 0 && <RewardsCard {...data} />}
          {(hasEvents || data.refusals.length > 0) && <RefusedCallsCard {...data} />}
          <SnippetCard {...data} />
        </div>
      </div>
    </>
  );
}

type Data = ReturnType<typeof useLoaderData<typeof loader>>;

function Figures({ pointSystem, statistics, range }: Data) {
  const { days, points, dailyWallets, before } = statistics;
  const pointsByDay = days.map(({ day, points: value }) => ({ day, value }));
  const walletsByDay = days.map(({ day, activeWallets: value }) => ({ day, value }));
  return (
    <>
      <dl className="mt-6 grid grid-cols-2 gap-4 lg:grid-cols-4">
        <SummaryFigure label="Wallets" value={pointSystem.wallets} />
        <SummaryFigure label="Events" value={pointSystem.events} />
        <SummaryFigure
          label={`Points in ${range.days} days`}
          value={points}
          note={before && <Change now={points} before={before.points} days={range.days} />}
          aside={<Sparkline values={days.map((day) => day.points)} />}
        />
        <SummaryFigure
          label="Active wallets per day"
          value={Math.round(dailyWallets)}
          note={
            before && <Change now={dailyWallets} before={before.dailyWallets} days={range.days} />
          }
          aside={
            <Sparkline values={days.map((day) => day.activeWallets)} className="text-chart-2" />
          }
        />
      </dl>
      <div className="mt-4 grid items-start gap-4 xl:grid-cols-2">
        <ChartCard heading="Points per day">
          <DailyChart label="Points per day" unit="points" data={pointsByDay} />
        </ChartCard>
        <ChartCard heading="Active wallets per day">
          <DailyChart
            label="Active wallets per day"
            unit="wallets"
            kind="line"
            hue="chart-2"
            data={walletsByDay}
          />
        </ChartCard>
      </div>
    </>
  );
}

function FirstStepsCard({ pointSystem, triggers, hasApiKey }: Data) {
  return (
    <Card heading="First steps">
      <FirstSteps
        pointSystemId={pointSystem.id}
        hasTrigger={triggers.length > 0}
        hasApiKey={hasApiKey}
        canEdit={pointSystem.role !== "viewer"}
      />
    </Card>
  );
}

function TopTriggersCard({ pointSystem, statistics, range }: Data) {
  return (
    <Card heading="Top triggers" aside={`Last ${range.days} days`}>
      <TopTriggers pointSystemId={pointSystem.id} triggers={statistics.topTriggers} />
    </Card>
  );
}

/** Shows the live feed. Its events load the page's numbers again, all of them at once. */
function Feed({ pointSystem, triggers, latestEvents, latestSeq, readAt }: Data) {
  const { revalidate } = useRevalidator();
  return (
    <LiveFeed
      pointSystemId={pointSystem.id}
      names={nameTriggers(triggers)}
      latestEvents={latestEvents}
      latestSeq={latestSeq}
      readAt={readAt}
      onEvents={revalidate}
    />
  );
}

function RewardsCard({ rewards, pointSystem }: Data) {
  return (
    <Card
      heading="Rewards"
      aside={
        <Link to={`/dashboard/${pointSystem.id}/rewards`} className="text-accent hover:underline">
          All rewards
        </Link>
      }
    >
      <RewardSummaries rewards={rewards} pointSystemId={pointSystem.id} />
    </Card>
  );
}

function RefusedCallsCard({ refusals, range }: Data) {
  const tabs = REFUSED_CALLS_RANGES.map((refused) => ({
    label: REFUSED_LABELS[refused],
    to: `?days=${range.days}&refused=${refused}`,
    isCurrent: refused === range.refused,
  }));
  return (
    <Card heading="Rejected calls" aside={<Tabs label="Rejected calls of" tabs={tabs} />}>
      <RefusedCalls groups={refusals} />
    </Card>
  );
}

function SnippetCard({ pointSystem, triggers, origin }: Data) {
  const sample = triggers.find(({ isActive }) => isActive);
  return (
    <div id="fire">
      <Card heading="Fire a trigger" aside="Use an API key of this point system">
        <TriggerSnippet
          origin={origin}
          pointSystemId={pointSystem.id}
          triggerKey={sample?.key ?? "daily_login"}
          points={sample?.variable ? sample.points : null}
        />
      </Card>
    </div>
  );
}
