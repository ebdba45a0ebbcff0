import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { isIdempotencyKey } from "../domain/ledger/idempotency-key";
import { CREDIT_POINTS_MAX } from "../domain/ledger/points";
import { isReason, REASON_CHARACTERS_MAX } from "../domain/ledger/spending";
import { spendPoints } from "../services/ledger/spending";
import { bodyFields, IDEMPOTENCY_KEY_FORM } from "./credit-fields";
import { endpoint } from "./endpoint";
import { readBody } from "./input";
import { AddressReply } from "./replies";

const REQUIRED = ["walletAddress", "pointSystemId", "points", "reason"] as const;

const given = z.unknown().refine((value) => value !== undefined && value !== null);

const SpendBody = z.object({
  ...bodyFields,
  points: given.meta({
    type: "integer",
    minimum: 1,
    maximum: CREDIT_POINTS_MAX,
    description: "The points to spend, a whole number",
  }),
  reason: given.meta({
    type: "string",
    minLength: 1,
    maxLength: REASON_CHARACTERS_MAX,
    pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$",
    description: "What they are spent on. Operators see it",
  }),
});

const SpendHeaders = z.object({
  "Idempotency-Key": z
    .string()
    .optional()
    .meta({
      ...IDEMPOTENCY_KEY_FORM,
      description: "Makes the spend safe to repeat: your own id of what is paid",
    }),
});

async function parseSpend(request: Request) {
  const { pointSystemId, points, reason, ...body } = await readBody(request, SpendBody, REQUIRED);
  const walletAddress = parseAddress(body.walletAddress);
  if (!walletAddress) throw new Failure("invalid_wallet_address");
  const amount = z.int().min(1).max(CREDIT_POINTS_MAX).safeParse(points);
  if (!amount.success) throw new Failure("invalid_points");
  if (!isReason(reason)) throw new Failure("invalid_reason");
  const idempotencyKey = request.headers.get("idempotency-key");
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    throw new Failure("invalid_idempotency_key");
  }
  return { pointSystemId, walletAddress, points: amount.data, reason, idempotencyKey };
}

/** POST /spend takes points from a wallet's balance. */
export const action = endpoint("spend", {
  scope: "point-system",
  input: { body: SpendBody, headers: SpendHeaders },
  failures: [
    "missing_parameter",
    "invalid_wallet_address",
    "invalid_points",
    "invalid_reason",
    "invalid_idempotency_key",
    "idempotency_key_reused",
    "wallet_blacklisted",
    "insufficient_points",
    "not_credited",
    "outcome_unknown",
  ],
  parse: parseSpend,
  reply: z.strictObject({
    success: z.literal(true).describe("The points are spent"),
    spendId: z.uuid().describe("The spend's UUID, with which it can be reversed"),
    walletAddress: AddressReply.describe("The wallet, lowercase"),
    pointsSpent: z.int().positive().describe("The spent points"),
    balance: z.int().nonnegative().describe("The points that the wallet has left"),
  }),
  async handle({ input, key, origin }) {
    const { id: spendId, balance, isReplayed } = await spendPoints(key, input, origin);
    const { walletAddress, points: pointsSpent } = input;
    return {
      body: { success: true as const, spendId, walletAddress, pointsSpent, balance },
      headers: { ...(isReplayed && { "Idempotent-Replayed": "true" }) },
    };
  },
});
export const loader = action;
