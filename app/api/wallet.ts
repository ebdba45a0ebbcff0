import { z } from "zod";
import { findKeyedEntry } from "../services/board/keyed-wallets";
import { getWalletEntry, type WalletEntry } from "../services/board/wallets";
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
  async handle({ input }) {
    const { pointSystemId, address, board } = input;
    return reply(input, await getWalletEntry(pointSystemId, address, board));
  },
  readWithKey({ input, credential }) {
    const { pointSystemId, address, board } = input;
    if (board) return null;
    return findKeyedEntry(credential, pointSystemId, address).then(({ finding, entry }) => ({
      finding,
      reply: async () => reply(input, entry ?? (await getWalletEntry(pointSystemId, address))),
    }));
  },
});
export const action = loader;

/** Adds what the call asks to include. */
async function reply(
  { pointSystemId, address, board, include }: z.output<typeof WalletQuery>,
  entry: WalletEntry,
) {
  if (include === undefined) return { body: entry };
  const [[tiered], streaks] = await Promise.all([
    include === "streaks" ? [entry] : addTiers(pointSystemId, [entry], board === undefined),
    include === "tier" ? undefined : listWalletStreaks(pointSystemId, address),
  ]);
  return { body: { ...entry, ...tiered, ...(streaks && { streaks }) } };
}
