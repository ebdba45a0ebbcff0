import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { OverviewTabs } from "../../../components/dashboard/insights/overview-tabs";
import { SeasonProgress } from "../../../components/dashboard/insights/season-progress";
import { TierHolders } from "../../../components/dashboard/insights/tier-holders";
import { WeekChart } from "../../../components/dashboard/insights/week-chart";
import { getSectionPath } from "../../../components/dashboard/shell/sections";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { Tabs } from "../../../components/ui/tabs";
import { mayRead } from "../../../domain/access/pages";
import { listFigures, PROGRAM_WEEKS, WEEK_FIGURES } from "../../../domain/insights/program";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { getProgram } from "../../../services/insights/program";
import { usePointSystem } from "../point-systems/layout";
import { readProgramQuery } from "./program.inputs.server";

export const meta = titlePage("Program");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("program"));
  const { weeks: weeksShown } = readProgramQuery(args.request);
  return { ...(await getProgram(pointSystemId, weeksShown)), weeksShown };
});

export default function Program() {
  const { weeks, tiers, seasons, weeksShown } = useLoaderData<typeof loader>();
  const { id } = usePointSystem();
  const tabs = PROGRAM_WEEKS.map((count) => ({
    label: `${count} weeks`,
    to: `?weeks=${count}`,
    isCurrent: count === weeksShown,
  }));
  const file = (figure: string, name: string) => (
    <a
      href={`${getSectionPath(id, "program.csv")}?figure=${figure}&weeks=${weeksShown}`}
      download
      aria-label={`${name} as CSV`}
      className="inline-flex min-h-6 items-center text-accent hover:underline"
    >
      CSV
    </a>
  );
  return (
    <>
      <PageHeader
        title="Program"
        description="Weeks begin on Monday, in UTC. The figures are some seconds old."
        actions={<Tabs label="Weeks shown" tabs={tabs} />}
      />
      <div className="mt-4">
        <OverviewTabs pointSystemId={id} current="program" />
      </div>
      <div className="mt-6 grid items-start gap-4 xl:grid-cols-2">
        {listFigures().map((figure) => (
          <WeekChart
            key={figure}
            figure={figure}
            weeks={weeks}
            file={file(figure, WEEK_FIGURES[figure])}
          />
        ))}
        <Card heading="Holders by tier" aside={file("tiers", "Holders by tier")}>
          <TierHolders pointSystemId={id} holders={tiers} />
        </Card>
        <Card heading="Seasons" aside={file("seasons", "Seasons")}>
          <SeasonProgress pointSystemId={id} seasons={seasons} />
        </Card>
      </div>
    </>
  );
}
