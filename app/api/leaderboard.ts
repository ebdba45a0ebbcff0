import { z } from "zod";
import { listLeaderboard, listLeaderboardAround } from "../services/board/leaderboard";
import { addTiers } from "../services/progress/tiers";
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
  include: z.literal("tier").optional().describe("With tier, each wallet has its tier"),
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
  async handle({ input: { pointSystemId, page, limit, around, board, include } }) {
    const list = await (around === undefined
      ? listLeaderboard(pointSystemId, { page, limit }, board)
      : listLeaderboardAround(pointSystemId, around, limit, board));
    if (include === undefined) return { body: list };
    const leaderboard = await addTiers(pointSystemId, list.leaderboard, board === undefined);
    return { body: { ...list, leaderboard } };
  },
});
export const action = loader;
