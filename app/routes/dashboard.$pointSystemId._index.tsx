import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { EventTable } from "../components/dashboard/event-table";
import { LeaderTable } from "../components/dashboard/leader-table";
import { PointSystemIdentifiers } from "../components/dashboard/point-system-identifiers";
import { TriggerSnippet } from "../components/dashboard/trigger-snippet";
import { TriggerTable } from "../components/dashboard/trigger-table";
import { Card } from "../components/ui/card";
import { Count, Day } from "../components/ui/local";
import { getPointSystemOverview } from "../services/overview";
import { requireMember } from "./member.server";
import { page } from "./page.server";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? [{ title: `${data.pointSystem.name} · Points and Rewards` }] : [];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const overview = await getPointSystemOverview(await requireMember(args, "viewer"));
  return { ...overview, origin: args.context.appOrigin, readAt: Date.now() };
});

export default function Overview() {
  const { pointSystem, triggers, leaders, latestEvents, origin, readAt } =
    useLoaderData<typeof loader>();
  const sampleKey = triggers.find(({ isActive }) => isActive)?.key ?? "daily_login";
  return (
    <>
      <h1 className="break-words text-2xl font-semibold tracking-tight">{pointSystem.name}</h1>
      <div className="mt-3">
        <PointSystemIdentifiers pointSystem={pointSystem} />
      </div>
      <dl className="mt-6 grid grid-cols-2 gap-4 lg:grid-cols-3">
        <Figure label="Wallets">
          <Count value={pointSystem.wallets} />
        </Figure>
        <Figure label="Events">
          <Count value={pointSystem.events} />
        </Figure>
        <Figure label="Created">
          <Day date={pointSystem.createdAt} />
        </Figure>
      </dl>
      <div className="mt-4 grid items-start gap-4 xl:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <Card heading="Triggers">
            <TriggerTable triggers={triggers} />
          </Card>
          <Card heading="Latest events" aside="Newest 20">
            <EventTable events={latestEvents} now={readAt} />
          </Card>
        </div>
        <div className="grid min-w-0 gap-4">
          <Card heading="Leaderboard" aside="Top 10">
            <LeaderTable leaders={leaders} />
          </Card>
          <Card heading="Fire a trigger" aside="With an API key that reaches this point system">
            <TriggerSnippet origin={origin} pointSystemId={pointSystem.id} triggerKey={sampleKey} />
          </Card>
        </div>
      </div>
    </>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="rounded-xl border border-line bg-raised px-4 py-3 shadow-sm last:col-span-2 sm:px-5 lg:last:col-span-1">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className="mt-0.5 text-xl font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
