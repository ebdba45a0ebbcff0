import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { BLACKLIST_COLUMNS } from "../../../domain/ledger/blacklist-lines";
import { streamCsv } from "../../../http/csv";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import {
  type BlacklistEntry,
  readWholeBlacklist,
} from "../../../services/ledger/blacklist-entries";

/** Answers the blacklist as a CSV file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("blacklist.csv"));
  const rows = toRows(readWholeBlacklist(member));
  return streamCsv("blacklist.csv", BLACKLIST_COLUMNS, rows, args.context);
});

async function* toRows(entries: AsyncIterable<BlacklistEntry>) {
  for await (const { address, reason, date, points } of entries) {
    yield [address, reason, date.toISOString(), points];
  }
}
