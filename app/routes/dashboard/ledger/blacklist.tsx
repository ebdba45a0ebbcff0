import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { BlacklistAddForm } from "../../../components/dashboard/ledger/blacklist-add-form";
import { BlacklistTable } from "../../../components/dashboard/ledger/blacklist-table";
import { problemsOf } from "../../../components/form/problems";
import { SearchForm } from "../../../components/form/search-form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Alert } from "../../../components/ui/alert";
import { getButtonClass } from "../../../components/ui/button";
import { Card } from "../../../components/ui/card";
import { EmptyState } from "../../../components/ui/empty-state";
import { CursorPager } from "../../../components/ui/pager";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { parseAddress } from "../../../domain/address";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { lookFor } from "../../../http/search";
import { addToBlacklist, removeFromBlacklist } from "../../../services/ledger/blacklist";
import { findBlacklistEntry, listBlacklist } from "../../../services/ledger/blacklist-entries";
import type { KeysetPage } from "../../../services/runtime/keyset";
import { resolveWallet } from "../../../services/search/wallet-search";
import { readCursor } from "../board/wallet.inputs.server";
import { usePointSystem } from "../point-systems/layout";
import {
  BLACKLIST_FORM_BYTES_MAX,
  BlacklistInputs,
  BlacklistSelection,
  countAddresses,
  describeAddition,
  toAdditions,
  toRemainder,
} from "./blacklist.inputs.server";

export const meta = titlePage("Blacklist");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("blacklist"));
  const text = new URL(args.request.url).searchParams.get("search")?.trim().slice(0, 300);
  const search = text
    ? await lookFor(args, text, async (typed) => {
        const wallet = await resolveWallet(member, typed);
        return { ...wallet, entry: await findBlacklistEntry(member, wallet.address) };
      })
    : null;
  const list: KeysetPage<Awaited<ReturnType<typeof findBlacklistEntry>> & {}> = search?.found
    ? { rows: search.found.entry ? [search.found.entry] : [], newer: null, older: null }
    : await listBlacklist(member, readCursor(args.request, parseAddress));
  return data({ list, search, readAt: Date.now() }, { status: search?.status ?? 200 });
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("blacklist"));
  const { search } = new URL(args.request.url);
  const path = `/dashboard/${member.pointSystemId}/blacklist`;
  const forms = {
    add: form(BlacklistInputs, async ({ lines, reason }) => {
      const added = await addToBlacklist(member, toAdditions(lines, reason));
      const summary = describeAddition(lines, added);
      if (lines.bad.length > 0) return toRemainder(lines, reason, summary);
      return redirectWithNotice(path, summary, args.context);
    }),
    remove: form(BlacklistSelection, async ({ addresses }) => {
      const removed = await removeFromBlacklist(member, [...new Set(addresses)]);
      const text = `${countAddresses(removed)} removed from the blacklist.`;
      return redirectWithNotice(path + search, text, args.context);
    }),
  };
  return takeForms(args, forms, { bytesMax: BLACKLIST_FORM_BYTES_MAX });
});

export default function Blacklist() {
  const { list, search, readAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id: pointSystemId, role } = usePointSystem();
  const isEditor = role !== "viewer";
  const removal = problemsOf(answer, "remove");
  const refusal = removal?.form ?? removal?.fields.addresses;
  return (
    <>
      <PageHeader
        title="Blacklist"
        description="These wallets earn no points and are not on the leaderboard. Their points and history are kept."
        actions={
          <a className={getButtonClass("quiet")} href={`/dashboard/${pointSystemId}/blacklist.csv`}>
            Export CSV
          </a>
        }
      />
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        {isEditor && (
          <div className="min-w-0 lg:col-start-2 lg:row-start-1">
            <Card heading="Add addresses">
              <div className="p-4 sm:p-5">
                <BlacklistAddForm problems={problemsOf(answer, "add")} />
              </div>
            </Card>
          </div>
        )}
        <div className={`min-w-0 ${isEditor ? "lg:row-start-1" : "lg:col-span-2"}`}>
          <SearchForm defaultValue={search?.text ?? ""} problem={search?.problem ?? undefined} />
          {refusal && (
            <div className="mt-4">
              <Alert>{refusal}</Alert>
            </div>
          )}
          <div className="mt-4 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
            <BlacklistTable
              entries={list.rows}
              pointSystemId={pointSystemId}
              canRemove={isEditor}
              readAt={readAt}
              emptyState={
                search?.found ? (
                  <NotListed address={search.found.address} pointSystemId={pointSystemId} />
                ) : (
                  <EmptyState heading="No blacklisted wallets">
                    {isEditor
                      ? "Paste addresses into the form, or blacklist a wallet on its page."
                      : "An owner or editor can add addresses."}
                  </EmptyState>
                )
              }
            />
          </div>
          {search?.found && (
            <Link
              to="?"
              className="mt-3 inline-flex min-h-6 items-center text-sm text-accent underline"
            >
              Show the whole list
            </Link>
          )}
          <CursorPager
            label="Pages of the blacklist"
            newerHref={list.newer && `?newer=${list.newer}`}
            olderHref={list.older && `?older=${list.older}`}
          />
        </div>
      </div>
    </>
  );
}

function NotListed({ address, pointSystemId }: { address: string; pointSystemId: string }) {
  return (
    <EmptyState heading="Not on the blacklist">
      <Link
        to={`/dashboard/${pointSystemId}/wallets/${address}`}
        className="break-all font-mono text-[0.8125rem] text-accent underline"
      >
        {address}
      </Link>
    </EmptyState>
  );
}
