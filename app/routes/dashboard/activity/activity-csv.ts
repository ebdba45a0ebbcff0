import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { streamCsv } from "../../../http/csv";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { exportFeed, type FeedEvent } from "../../../services/activity/feed";
import { readActivityQuery } from "./activity.inputs.server";

const HEADER = [
  "id",
  "date",
  "wallet",
  "event",
  "points",
  "balance",
  "voided",
  "note",
  "import id",
  "occurred at",
  "metadata",
  "base points",
  "factor",
] as const;

/** Answers all events that the activity page's filter selects, as a CSV file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("activity.csv"));
  const { filter } = readActivityQuery(args.request);
  // The page shows beside its fields which ones are invalid.
  if (!filter) {
    const { search } = new URL(args.request.url);
    return redirect(`/dashboard/${member.pointSystemId}/activity${search}`);
  }
  const batches = exportFeed(member, filter);
  return streamCsv("activity.csv", HEADER, toRows(batches), args.context);
});

async function* toRows(batches: AsyncIterable<readonly FeedEvent[]>) {
  for await (const events of batches) yield* events.map(toRow);
}

function toRow(event: FeedEvent) {
  return [
    event.id,
    event.date.toISOString(),
    event.address,
    event.event,
    event.points,
    event.balance,
    event.isVoided ? "yes" : "no",
    event.note,
    event.importId,
    event.occurredAt?.toISOString() ?? null,
    event.metadata,
    event.boost?.basePoints ?? null,
    event.boost?.factor ?? null,
  ];
}
