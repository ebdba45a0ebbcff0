import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { answerEventStream } from "../../../http/event-stream";
import { isStillWelcome } from "../../../http/live-access";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { findNewestSeq, followLiveFeed } from "../../../services/insights/live-feed";

/** Answers a point system's events as they come, as server-sent events. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { request, context } = args;
  const member = await requireMember(args, mayRead("live"));
  const cookies = request.headers.get("cookie") ?? "";
  const afterSeq = readAfterSeq(request) ?? (await findNewestSeq(member));
  return answerEventStream(request, ({ send, end }) =>
    followLiveFeed(member, {
      afterSeq,
      isWelcome: () => isStillWelcome(member, { cookies, appOrigin: context.appOrigin }),
      onBatch: ({ seq, events, skipped }) => send(seq, { events, skipped }),
      onEnd: end,
    }),
  );
});

/** Reads the last event that the browser received, or that its page shows. */
function readAfterSeq(request: Request): number | null {
  const text =
    request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("after") ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
