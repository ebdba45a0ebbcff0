import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { type BoardReference, parseBoardReference } from "../../../domain/board/board-reference";
import { Failure } from "../../../domain/failure";
import { streamCsv } from "../../../http/csv";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { exportBoard } from "../../../services/board/board-export";
import type { WalletEntry } from "../../../services/board/wallets";

/** Answers a whole board as a CSV file: the all-time one, or the one that `?board=` names. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("leaderboard.csv"));
  const name = new URL(args.request.url).searchParams.get("board") ?? "all-time";
  const wallets = await exportBoard(pointSystemId, readReference(name));
  const header = ["rank", "address", "points", "events"];
  const fileName = `leaderboard-${name}.csv`;
  return streamCsv(fileName, header, toRows(wallets), args.context);
});

function readReference(name: string): BoardReference | undefined {
  const reference = parseBoardReference(name);
  if (reference === null) throw new Failure("not_found");
  return reference === "all-time" ? undefined : reference;
}

async function* toRows(wallets: AsyncIterable<WalletEntry>) {
  for await (const { rank, address, points, events } of wallets) {
    yield [rank, address, points, events];
  }
}
