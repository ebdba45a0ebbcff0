import { data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { BoardTable } from "../../../components/dashboard/board/board-table";
import { SearchForm } from "../../../components/form/search-form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { getButtonClass } from "../../../components/ui/button";
import { Count } from "../../../components/ui/local";
import { Pager } from "../../../components/ui/pager";
import { mayRead } from "../../../domain/access/pages";
import { parseAddress } from "../../../domain/address";
import { PAGE_LIMIT_DEFAULT } from "../../../domain/pagination";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { lookFor } from "../../../http/search";
import { findRanksAWeekAgo } from "../../../services/board/kept-ranks";
import { listLeaderboard } from "../../../services/board/leaderboard";
import { type FoundWallet, findWalletOnBoard } from "../../../services/search/wallet-search";

export const meta = titlePage("Leaderboard");

/** The page's query, set by a link or a form. Invalid values count as not set. */
const BoardQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000_000).catch(1),
  wallet: z
    .string()
    .transform((text) => parseAddress(text))
    .catch(null),
  search: z.string().trim().max(300).catch(""),
});

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("leaderboard"));
  const query = new URL(args.request.url).searchParams;
  const wanted = BoardQuery.parse(Object.fromEntries(query));
  const path = `/dashboard/${member.pointSystemId}/leaderboard`;
  const search = wanted.search
    ? await lookFor(args, wanted.search, (text) => findWalletOnBoard(member, text))
    : null;
  if (search?.found?.page) {
    throw redirect(`${path}?page=${search.found.page}&wallet=${search.found.address}#row`);
  }
  const board = await listLeaderboard(member.pointSystemId, {
    page: wanted.page,
    limit: PAGE_LIMIT_DEFAULT,
  });
  const { totalPages } = board.pagination;
  if (totalPages > 0 && wanted.page > totalPages) throw redirect(`${path}?page=${totalPages}`);
  const before = await findRanksAWeekAgo(
    member.pointSystemId,
    board.leaderboard.map(({ address }) => address),
  );
  return data(
    { ...board, before, wallet: wanted.wallet, search, pointSystemId: member.pointSystemId },
    { status: search?.status ?? 200 },
  );
});

export default function Leaderboard() {
  const { leaderboard, pagination, before, wallet, search, pointSystemId } =
    useLoaderData<typeof loader>();
  const makeWalletHref = (address: string) => `/dashboard/${pointSystemId}/wallets/${address}`;
  return (
    <>
      <PageHeader
        title="Leaderboard"
        description={
          <>
            <Count value={pagination.total} /> {pagination.total === 1 ? "wallet" : "wallets"}, most
            points first. Blacklisted wallets are not on it.
          </>
        }
        actions={
          <a
            className={getButtonClass("quiet")}
            href={`/dashboard/${pointSystemId}/leaderboard.csv`}
          >
            Export CSV
          </a>
        }
      />
      <div className="mt-6">
        <SearchForm
          takesBeginning
          defaultValue={search?.text ?? ""}
          problem={search?.problem ?? undefined}
        />
      </div>
      {search?.found && <NotOnBoard found={search.found} makeWalletHref={makeWalletHref} />}
      <div className="mt-6 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        <BoardTable
          rows={leaderboard}
          makeWalletHref={makeWalletHref}
          markedAddress={wallet}
          before={before}
        />
      </div>
      <Pager
        page={pagination.page}
        totalPages={pagination.totalPages}
        total={pagination.total}
        makeHref={(number) => `?page=${number}`}
        label="wallets"
      />
    </>
  );
}

function NotOnBoard({
  found: { address, name, standing },
  makeWalletHref,
}: {
  found: Pick<FoundWallet, "address" | "name" | "standing">;
  makeWalletHref: (address: string) => string;
}) {
  return (
    <div
      role="status"
      className="mt-4 max-w-2xl rounded-lg border border-line bg-raised px-4 py-3 text-sm"
    >
      <p className="break-words">
        {name && <span className="font-medium">{name} is </span>}
        <span className="break-all font-mono text-[0.8125rem]">{address}</span>
        {name ? ". It " : " "}
        {standing === "blacklisted"
          ? "is blacklisted, so it is not on the board."
          : "has no points here, so it is not on the board."}
      </p>
      <Link
        to={makeWalletHref(address)}
        className="mt-1 inline-flex min-h-6 items-center text-accent underline"
      >
        Open the wallet’s page
      </Link>
    </div>
  );
}
