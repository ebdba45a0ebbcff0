import { z } from "zod";
import { getWalletEntry } from "../services/board/wallets";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { WalletEntryReply } from "./replies";

const WalletQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address,
  board: parameters.board,
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
  async handle({ input: { pointSystemId, address, board } }) {
    return { body: await getWalletEntry(pointSystemId, address, board) };
  },
});
export const action = loader;
