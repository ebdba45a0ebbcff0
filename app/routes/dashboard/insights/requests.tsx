import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { RequestList } from "../../../components/dashboard/insights/request-list";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { mayRead } from "../../../domain/access/pages";
import { parseUuid } from "../../../domain/uuid";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listRequests } from "../../../services/insights/request-log";
import { readCursor } from "../board/wallet.inputs.server";
import { CODE_OPTIONS, ENDPOINT_OPTIONS, readRequestQuery } from "./requests.inputs.server";

export const meta = titlePage("Requests");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("requests"));
  const filter = readRequestQuery(args.request);
  const { rows, ...places } = await listRequests(
    member,
    filter,
    readCursor(args.request, parseUuid),
  );
  return {
    ...{ calls: rows, ...places, filter, readAt: Date.now() },
    ...{ endpoints: ENDPOINT_OPTIONS, codes: CODE_OPTIONS },
  };
});

export default function Requests() {
  return (
    <>
      <PageHeader
        title="Requests"
        description="API calls to this point system in the last 7 days: all rejected ones and a sample of the others."
      />
      <RequestList {...useLoaderData<typeof loader>()} />
    </>
  );
}
