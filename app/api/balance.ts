import { z } from "zod";
import { getBalance } from "../services/ledger/spending";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply } from "./replies";

const BalanceQuery = z.object({
  pointSystemId: parameters.pointSystemId,
  address: parameters.address,
});

const input = { query: BalanceQuery };

/** GET /balance reads what a wallet has earned, has spent and has left. */
export const loader = endpoint("balance", {
  scope: "point-system",
  isReplicated: true,
  input,
  failures: ["wallet_not_found"],
  parse: (request) => parseQuery(input, request.url),
  reply: z.strictObject({
    address: AddressReply.describe("The wallet, lowercase"),
    earned: z.int().nonnegative().describe("Points in total, as on the leaderboard"),
    spent: z.int().nonnegative().describe("Points that it spent, less those given back"),
    balance: z.int().nonnegative().describe("Points that it can spend: earned less spent"),
  }),
  async handle({ input: { pointSystemId, address } }) {
    return { body: { address, ...(await getBalance(pointSystemId, address)) } };
  },
});
export const action = loader;
