import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { ArchivedNote } from "../../../components/dashboard/activity/archived-note";
import { FeedTable } from "../../../components/dashboard/activity/feed-table";
import { ActivityFilters } from "../../../components/dashboard/activity/filters";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { getButtonClass } from "../../../components/ui/button";
import { EmptyState } from "../../../components/ui/empty-state";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead } from "../../../domain/access/pages";
import { formatCursor } from "../../../domain/cursor";
import { nameTriggers } from "../../../domain/point-systems/trigger-key";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listDeletedTriggerKeys } from "../../../services/activity/deleted-triggers";
import { listFeed } from "../../../services/activity/feed";
import { findTotals } from "../../../services/point-systems/totals";
import { listTriggers } from "../../../services/point-systems/triggers";
import { usePointSystem } from "../point-systems/layout";
import { readActivityQuery, SOURCES } from "./activity.inputs.server";

export const meta = titlePage("Activity");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("activity"));
  const { values, filter, problems, cursor } = readActivityQuery(args.request);
  const [triggers, deleted, feed, { archivedBefore }] = await Promise.all([
    listTriggers(member),
    listDeletedTriggerKeys(member),
    filter && listFeed(member, filter, cursor),
    findTotals(member.pointSystemId),
  ]);
  const options: { value: string; label: string }[] = [
    { value: "", label: "All events" },
    ...Object.entries(SOURCES).map(([value, { label }]) => ({ value, label })),
    ...triggers.map(({ key, name }) => ({ value: key, label: `${name} (${key})` })),
    ...deleted.map((key) => ({ value: key, label: `${key} (deleted)` })),
  ];
  if (!options.some(({ value }) => value === values.trigger)) {
    options.push({ value: values.trigger, label: `${values.trigger} (deleted)` });
  }
  return data(
    {
      ...{ values, problems, triggers: options, feed, archivedBefore },
      names: nameTriggers(triggers),
      readAt: Date.now(),
    },
    { status: filter ? 200 : 400 },
  );
});

export default function Activity() {
  const { values, problems, triggers, names, feed, archivedBefore, readAt } =
    useLoaderData<typeof loader>();
  const { id } = usePointSystem();
  const given = Object.entries(values).filter(([, value]) => value !== "");
  const makeHref = (cursor: Readonly<Record<string, string>>) =>
    `?${new URLSearchParams([...given, ...Object.entries(cursor)])}`;
  const isFiltered = given.length > 0;
  return (
    <>
      <PageHeader
        title="Activity"
        description="Every event of this point system, newest first."
        actions={
          feed && (
            <a
              href={`/dashboard/${id}/activity.csv${isFiltered ? makeHref({}) : ""}`}
              download
              className={getButtonClass("quiet")}
            >
              Export as CSV
            </a>
          )
        }
      />
      <ActivityFilters
        values={values}
        problems={problems}
        triggers={triggers}
        isFiltered={isFiltered}
      />
      {feed && (
        <>
          <div className="mt-4 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
            {feed.events.length > 0 ? (
              <FeedTable events={feed.events} names={names} now={readAt} pointSystemId={id} />
            ) : (
              <NoEvents isFiltered={isFiltered} feed={feed} />
            )}
          </div>
          {feed.cutShortAt && feed.events.length > 0 && (
            <p className="mt-3 text-sm text-ink-muted">
              Only some of the events were searched. There may be more.
            </p>
          )}
          <CursorPager
            label="Pages of events"
            newerHref={feed.newerThan && makeHref({ after: formatCursor(feed.newerThan) })}
            newerLabel={feed.cutShortAt === "newer" ? "Search newer events" : "Newer"}
            olderHref={feed.olderThan && makeHref({ before: formatCursor(feed.olderThan) })}
            olderLabel={feed.cutShortAt === "older" ? "Search older events" : "Older"}
          />
          <ArchivedNote before={archivedBefore} />
        </>
      )}
    </>
  );
}

interface NoEventsProps {
  readonly isFiltered: boolean;
  readonly feed: Pick<
    Awaited<ReturnType<typeof listFeed>>,
    "cutShortAt" | "newerThan" | "olderThan"
  >;
}

function NoEvents({ isFiltered, feed }: NoEventsProps) {
  if (feed.cutShortAt) {
    return (
      <EmptyState heading="Nothing found so far">
        Only some of the events were searched. Continue with the button below.
      </EmptyState>
    );
  }
  if (feed.newerThan || feed.olderThan) {
    return (
      <EmptyState heading={feed.newerThan ? "No older events" : "No newer events"}>
        Go back with the button below.
      </EmptyState>
    );
  }
  if (isFiltered) {
    return (
      <EmptyState heading="Nothing matches">
        <Link to="?" className="text-accent underline">
          Show every event
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState heading="No events yet">
      Fire a trigger, grant points to a wallet, or import a file. The events appear here.
    </EmptyState>
  );
}
