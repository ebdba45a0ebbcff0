import { Link } from "@remix-run/react";
import { SearchForm } from "../../form/search-form";
import { getButtonClass } from "../../ui/button";
import { EmptyState } from "../../ui/empty-state";
import { CursorPager } from "../../ui/pager";
import { type Recipient, RecipientTable, type Reveal, RevealTable } from "./lists";

interface Places {
  newer: string | null;
  older: string | null;
}

interface HandOut {
  search: { text: string; problem: string | null } | null;
}

interface GiftCardHandOutProps {
  handOut: HandOut &
    (
      | { view: "recipients"; list: Places & { rows: readonly Recipient[] } }
      | { view: "reveals"; list: Places & { rows: readonly Reveal[] } }
    );
  walletHref: string;
  /** The recipients as a file. */
  recipientsHref: string;
  now: number;
}

/** Lists the recipients or the reveals of a reward, with a search for one wallet. */
export function GiftCardHandOut({
  handOut,
  walletHref,
  recipientsHref,
  now,
}: GiftCardHandOutProps) {
  const { view, search, list } = handOut;
  const kept = new URLSearchParams({ view, ...(search && { search: search.text }) });
  const toHref = (side: "older" | "newer", place: string | null) =>
    place && `?${new URLSearchParams([...kept, [side, place]])}`;
  const emptyState = (
    <EmptyState heading={search ? "No entries for this wallet" : EMPTY[view].heading}>
      {search ? (
        <Link
          to={`?view=${view}`}
          preventScrollReset
          className="inline-flex min-h-6 items-center text-accent underline"
        >
          Show the whole list
        </Link>
      ) : (
        EMPTY[view].text
      )}
    </EmptyState>
  );
  const table = { walletHref, now, emptyState };
  return (
    <div>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <SearchForm
          defaultValue={search?.text ?? ""}
          problem={search?.problem ?? undefined}
          kept={{ view }}
        />
        {view === "recipients" && (
          <a className={getButtonClass("quiet")} href={recipientsHref}>
            Export CSV
          </a>
        )}
      </div>
      <div className="mt-4 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        {handOut.view === "recipients" ? (
          <RecipientTable rows={handOut.list.rows} {...table} />
        ) : (
          <RevealTable rows={handOut.list.rows} {...table} />
        )}
      </div>
      <CursorPager
        label={`Pages of ${view}`}
        newerHref={toHref("newer", list.newer)}
        olderHref={toHref("older", list.older)}
      />
    </div>
  );
}

const EMPTY = {
  recipients: {
    heading: "No recipients yet",
    text: "Wallets get their cards when you distribute the reward.",
  },
  reveals: {
    heading: "No reveals yet",
    text: "Each reveal of a code by its holder is logged here.",
  },
} as const;
