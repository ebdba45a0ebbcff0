import { z } from "zod";
import { listLeaderboard, listLeaderboardAround } from "../services/board/leaderboard";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { PaginationReply, WalletEntryReply } from "./replies";

const LeaderboardQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  page: parameters.page,
  limit: parameters.limit,
  /** Chooses the page by a wallet on it; `page` is then ignored. */
  around: parameters.around,
});

/** GET /leaderboard lists the wallets of a point system by rank. */
export const loader = endpoint("leaderboard", {
  scope: "point-system",
  parse: (request) => parseQuery(LeaderboardQuery, request.url),
  reply: z.strictObject({
    leaderboard: z.array(WalletEntryReply),
    pagination: PaginationReply,
  }),
  async handle({ input: { pointSystemId, page, limit, around } }) {
    if (around !== undefined) {
      return { body: await listLeaderboardAround(pointSystemId, around, limit) };
    }
    return { body: await listLeaderboard(pointSystemId, { page, limit }) };
  },
});
export const action = loader;
