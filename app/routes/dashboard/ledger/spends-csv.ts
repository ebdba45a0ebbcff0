import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { findPastedAddress } from "../../../domain/address";
import { streamCsv } from "../../../http/csv";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { type ListedSpend, readAllSpends } from "../../../services/ledger/spend-list";

const HEADER = ["id", "date", "wallet", "points", "balance", "reason", "reversed at", "note"];

/** Answers the spends of all wallets, or of the one that `search` names, as a CSV file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("spends.csv"));
  const address = findPastedAddress(new URL(args.request.url).searchParams.get("search") ?? "");
  return streamCsv("spends.csv", HEADER, toRows(readAllSpends(member, address)), args.context);
});

async function* toRows(spends: AsyncIterable<ListedSpend>) {
  for await (const { id, date, address, points, balance, reason, reversed } of spends) {
    const reversedAt = reversed?.date.toISOString() ?? null;
    yield [
      id,
      date.toISOString(),
      address,
      points,
      balance,
      reason,
      reversedAt,
      reversed?.note ?? null,
    ];
  }
}
