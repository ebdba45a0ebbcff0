import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { SpendTable } from "../../../components/dashboard/ledger/spend-table";
import { problemsOf } from "../../../components/form/problems";
import { SearchForm } from "../../../components/form/search-form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { getButtonClass } from "../../../components/ui/button";
import { EmptyState } from "../../../components/ui/empty-state";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { parseUuid } from "../../../domain/uuid";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { lookFor } from "../../../http/search";
import { listSpends } from "../../../services/ledger/spend-list";
import { reverseSpendByHand } from "../../../services/ledger/spending";
import { resolveWallet } from "../../../services/search/wallet-search";
import { ReversalInputs, readCursor } from "../board/wallet.inputs.server";
import { usePointSystem } from "../point-systems/layout";

export const meta = titlePage("Spends");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("spends"));
  const text = new URL(args.request.url).searchParams.get("search")?.trim().slice(0, 300);
  const search = text ? await lookFor(args, text, (typed) => resolveWallet(member, typed)) : null;
  const address = search?.found?.address ?? null;
  const list = await listSpends(member, address, readCursor(args.request, parseUuid));
  return data({ list, search, address, readAt: Date.now() }, { status: search?.status ?? 200 });
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("spends"));
  const { search } = new URL(args.request.url);
  const path = `/dashboard/${member.pointSystemId}/spends${search}`;
  return takeForms(args, {
    reverse: form(ReversalInputs, async ({ spend, note }) => {
      await reverseSpendByHand(member, spend, note);
      return redirectWithNotice(path, "The spend is reversed.", args.context);
    }),
  });
});

export default function Spends() {
  const { list, search, address, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const filter = address === null ? "" : `search=${address}`;
  const getHref = (side: "newer" | "older") =>
    list[side] && `?${filter && `${filter}&`}${side}=${list[side]}`;
  return (
    <>
      <PageHeader
        title="Spends"
        description="What wallets paid with their points. Points on boards stay what was earned."
        actions={
          <a
            className={getButtonClass("quiet")}
            href={`/dashboard/${pointSystemId}/spends.csv${filter && `?${filter}`}`}
          >
            Export CSV
          </a>
        }
      />
      <div className="mt-6">
        <SearchForm defaultValue={search?.text ?? ""} problem={search?.problem ?? undefined} />
      </div>
      <div className="mt-4 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        <SpendTable
          spends={list.rows}
          getWalletHref={(wallet) => `/dashboard/${pointSystemId}/wallets/${wallet}`}
          canReverse={role !== "viewer"}
          problems={problemsOf(answer, "reverse")}
          readAt={readAt}
          emptyState={
            <EmptyState heading={address ? "This wallet spent nothing" : "No spends yet"}>
              Applications spend points with POST /spend.
            </EmptyState>
          }
        />
      </div>
      {address && (
        <Link
          to="?"
          className="mt-3 inline-flex min-h-6 items-center text-sm text-accent underline"
        >
          Show the whole list
        </Link>
      )}
      <CursorPager
        label="Pages of the spends"
        newerHref={getHref("newer")}
        olderHref={getHref("older")}
      />
    </>
  );
}
