import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
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
  const header = ["address", "reason", "date", "points"];
  return streamCsv("blacklist.csv", header, toRows(readWholeBlacklist(member)), args.context);
});

async function* toRows(entries: AsyncIterable<BlacklistEntry>) {
  for await (const { address, reason, date, points } of entries) {
    yield [address, reason, date.toISOString(), points];
  }
}
