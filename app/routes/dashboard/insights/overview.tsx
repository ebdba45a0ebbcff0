import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData, useRevalidator } from "@remix-run/react";
import type { ReactNode } from "react";
import { FirstSteps } from "../../../components/dashboard/insights/first-steps";
import { LeaderTable } from "../../../components/dashboard/insights/leader-table";
import { LiveFeed } from "../../../components/dashboard/insights/live-feed";
import { RefusedCalls } from "../../../components/dashboard/insights/refused-calls";
import { TopTriggers } from "../../../components/dashboard/insights/top-triggers";
import { PointSystemIdentifiers } from "../../../components/dashboard/point-systems/identifiers";
import { TriggerSnippet } from "../../../components/dashboard/point-systems/trigger-snippet";
import { PageHeader } from "../../../components/page/page-header";
import { Card } from "../../../components/ui/card";
import { DailyChart } from "../../../components/ui/charts/lazy-chart";
import { Count } from "../../../components/ui/local";
import { Tabs } from "../../../components/ui/tabs";
import {
  REFUSED_CALLS_RANGES,
  type RefusedCallsRange,
  STATISTICS_DAYS,
} from "../../../domain/insights/overview-range";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { getPointSystemOverview } from "../../../services/insights/overview";
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
  const member = await requireMember(args, "viewer");
  const range = readOverviewQuery(args.request);
  const { refusedCalls, ...overview } = await getPointSystemOverview(member, range);
  return {
    ...overview,
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
        actions={hasEvents && <Tabs label="Days shown" tabs={daysTabs} />}
      />
      <div className="mt-3">
        <PointSystemIdentifiers pointSystem={pointSystem} />
      </div>
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
          {(hasEvents || data.refusals.length > 0) && <RefusedCallsCard {...data} />}
          <SnippetCard {...data} />
        </div>
      </div>
    </>
  );
}

type Data = ReturnType<typeof useLoaderData<typeof loader>>;

function Figures({ pointSystem, statistics, range }: Data) {
  const { days, points } = statistics;
  const pointsByDay = days.map(({ day, points: value }) => ({ day, value }));
  const walletsByDay = days.map(({ day, activeWallets: value }) => ({ day, value }));
  return (
    <>
      <dl className="mt-6 grid grid-cols-2 gap-4 lg:grid-cols-4">
        <Figure label="Wallets" value={pointSystem.wallets} />
        <Figure label="Events" value={pointSystem.events} />
        <Figure label={`Points in ${range.days} days`} value={points} />
        <Figure label="Active wallets today" value={days.at(-1)?.activeWallets ?? 0} />
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

/**
 * Shows the live feed. A point system's first event loads the page again, since its content
 * changes.
 */
function Feed({ pointSystem, latestEvents, latestSeq, readAt }: Data) {
  const { revalidate } = useRevalidator();
  return (
    <LiveFeed
      pointSystemId={pointSystem.id}
      latestEvents={latestEvents}
      latestSeq={latestSeq}
      readAt={readAt}
      onFirstEvent={revalidate}
    />
  );
}

function RefusedCallsCard({ refusals, range }: Data) {
  const tabs = REFUSED_CALLS_RANGES.map((refused) => ({
    label: REFUSED_LABELS[refused],
    to: `?days=${range.days}&refused=${refused}`,
    isCurrent: refused === range.refused,
  }));
  return (
    <Card heading="Refused calls" aside={<Tabs label="Refused calls of" tabs={tabs} />}>
      <RefusedCalls groups={refusals} />
    </Card>
  );
}

function SnippetCard({ pointSystem, triggers, origin }: Data) {
  const sample = triggers.find(({ isActive }) => isActive);
  return (
    <div id="fire">
      <Card heading="Fire a trigger" aside="With an API key that reaches this point system">
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

function ChartCard({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Card heading={heading} aside="Days in UTC">
      <div className="p-4 sm:p-5">{children}</div>
    </Card>
  );
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <div className="rounded-xl border border-line bg-raised px-4 py-3 shadow-sm sm:px-5">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className="mt-0.5 break-all text-xl font-semibold tabular-nums">
        <Count value={value} />
      </dd>
    </div>
  );
}
