import { z } from "zod";
import { getWalletEntry } from "../services/board/wallets";
import { listWalletStreaks } from "../services/progress/streaks";
import { addTiers } from "../services/progress/tiers";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { WalletEntryReply } from "./replies";

const WalletQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address,
  board: parameters.board,
  include: z
    .enum(["tier", "streaks", "tier,streaks"])
    .optional()
    .describe("Adds the wallet's tier, its streaks, or both"),
});

const input = { query: WalletQuery };

/** GET /wallet reads the rank and points of one wallet. */
export const loader = endpoint("wallet", {
  scope: "point-system",
  isReplicated: true,
  input,
  failures: ["board_not_found", "wallet_not_found"],
  parse: (request) => parseQuery(input, request.url),
  reply: WalletEntryReply,
  async handle({ input: { pointSystemId, address, board, include } }) {
    const entry = await getWalletEntry(pointSystemId, address, board);
    if (include === undefined) return { body: entry };
    const [[tiered], streaks] = await Promise.all([
      include === "streaks" ? [entry] : addTiers(pointSystemId, [entry], board === undefined),
      include === "tier" ? undefined : listWalletStreaks(pointSystemId, address),
    ]);
    return { body: { ...entry, ...tiered, ...(streaks && { streaks }) } };
  },
});
export const action = loader;
