import { z } from "zod";
import { getWalletEntry } from "../services/board/wallets";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { WalletEntryReply } from "./replies";

const WalletQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address,
});

/** GET /wallet reads the rank and points of one wallet. */
export const loader = endpoint("wallet", {
  scope: "point-system",
  parse: (request) => parseQuery(WalletQuery, request.url),
  reply: WalletEntryReply,
  async handle({ input: { pointSystemId, address } }) {
    return { body: await getWalletEntry(pointSystemId, address) };
  },
});
export const action = loader;
