import { z } from "zod";
import { Failure } from "../../domain/failure";
import { parseUuid } from "../../domain/uuid";
import { reverseSpend } from "../../services/ledger/spending";
import { bodyFields } from "../credit-fields";
import { endpoint } from "../endpoint";
import { readBody } from "../input";
import { AddressReply } from "../replies";

const REQUIRED = ["pointSystemId", "spendId"] as const;

const ReversalBody = z.object({
  pointSystemId: bodyFields.pointSystemId,
  spendId: z.string().min(1).meta({
    format: "uuid",
    minLength: undefined,
    description: "The spend, as POST /spend answered",
  }),
});

async function parseReversal(request: Request) {
  const { pointSystemId, spendId: text } = await readBody(request, ReversalBody, REQUIRED);
  return { pointSystemId, spendId: parseUuid(text) };
}

/** POST /spend/reverse gives the points of a spend back. A repeated call repeats the first answer. */
export const action = endpoint("spend/reverse", {
  scope: "point-system",
  input: { body: ReversalBody },
  failures: ["missing_parameter", "spend_not_found", "not_credited", "outcome_unknown"],
  parse: parseReversal,
  reply: z.strictObject({
    success: z.literal(true).describe("The points are given back"),
    spendId: z.uuid().describe("The spend's UUID"),
    walletAddress: AddressReply.describe("The wallet that has the points now, lowercase"),
    pointsReturned: z.int().positive().describe("The points that were given back"),
    balance: z.int().nonnegative().describe("The points that the wallet had left then"),
  }),
  async handle({ input: { pointSystemId, spendId }, key, origin }) {
    if (spendId === null) throw new Failure("spend_not_found");
    const { address, points, balance } = await reverseSpend(key, pointSystemId, spendId, origin);
    return {
      body: {
        success: true as const,
        ...{ spendId, walletAddress: address, pointsReturned: points, balance },
      },
    };
  },
});
export const loader = action;
