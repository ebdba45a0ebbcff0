import { z } from "zod";
import { listLeaderboard, listLeaderboardAround } from "../services/board/leaderboard";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { PaginationReply, WalletEntryReply } from "./replies";

const LeaderboardQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  page: parameters.page,
  limit: parameters.limit,
  board: parameters.board,
  /** Chooses the page by a wallet on it; `page` is then ignored. */
  around: parameters.around,
});

const input = { query: LeaderboardQuery };

/** GET /leaderboard lists the wallets of a point system by rank. */
export const loader = endpoint("leaderboard", {
  scope: "point-system",
  isReplicated: true,
  input,
  failures: ["board_not_found", "wallet_not_found"],
  parse: (request) => parseQuery(input, request.url),
  reply: z.strictObject({
    leaderboard: z
      .array(WalletEntryReply)
      .describe("Wallets, the most points first, then by address"),
    pagination: PaginationReply,
  }),
  async handle({ input: { pointSystemId, page, limit, around, board } }) {
    if (around !== undefined) {
      return { body: await listLeaderboardAround(pointSystemId, around, limit, board) };
    }
    return { body: await listLeaderboard(pointSystemId, { page, limit }, board) };
  },
});
export const action = loader;
