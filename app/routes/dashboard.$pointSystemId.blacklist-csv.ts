import type { LoaderFunctionArgs } from "@remix-run/node";
import { type BlacklistEntry, readWholeBlacklist } from "../services/blacklist-entries";
import { streamCsv } from "./csv.server";
import { requireMember } from "./member.server";
import { page } from "./page.server";

/** The blacklist as a file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, "viewer");
  const header = ["address", "reason", "date", "points"];
  return streamCsv("blacklist.csv", header, toRows(readWholeBlacklist(member)));
});

async function* toRows(entries: AsyncIterable<BlacklistEntry>) {
  for await (const { address, reason, date, points } of entries) {
    yield [address, reason, date.toISOString(), points];
  }
}
