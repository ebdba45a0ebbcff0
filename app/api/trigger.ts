import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { isIdempotencyKey } from "../domain/ledger/idempotency-key";
import { parseTraceId } from "../domain/trace";
import { getRateLimitHeaders } from "../http/rate-limit";
import { readJsonBody } from "../http/request";
import { authorizeKey, authorizeScope } from "../services/access/authorization";
import { findWalletEntry } from "../services/board/wallets";
import { fireTrigger } from "../services/ledger/credit";
import {
  bodyFields,
  CREDIT_FAILURES,
  creditedFields,
  creditFields,
  IDEMPOTENCY_KEY_FORM,
  optional,
  POINTS_FORM,
  readPoints,
} from "./credit-fields";
import { endpoint } from "./endpoint";
import { WalletEntryReply } from "./replies";

const INCLUDE_FORM = {
  type: "string",
  enum: ["wallet"],
  description: "With wallet, the answer has eventId and wallet. The key must credit and read",
} as const;

const TriggerBody = z.object({
  ...creditFields,
  pointSystemId: bodyFields.pointSystemId,
  // A trigger of fixed points passes over them, whatever they are.
  points: optional(POINTS_FORM),
  include: optional(INCLUDE_FORM),
});

const TriggerHeaders = z.object({
  "Idempotency-Key": z.string().optional().meta(IDEMPOTENCY_KEY_FORM),
});

async function parseTriggerCall(request: Request) {
  const body = TriggerBody.safeParse(await readJsonBody(request));
  if (!body.success) throw new Failure("missing_fields");
  const { triggerKey, pointSystemId, points, include } = body.data;
  const walletAddress = parseAddress(body.data.walletAddress);
  if (!walletAddress) throw new Failure("invalid_wallet_address");
  const idempotencyKey = request.headers.get("idempotency-key");
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    throw new Failure("invalid_idempotency_key");
  }
  if (include !== null && include !== "wallet") throw new Failure("invalid_include");
  // Written out, the object has one shape: a copy of what zod made costs more than its whole parse.
  return {
    triggerKey,
    pointSystemId,
    walletAddress,
    idempotencyKey,
    points: readPoints(points),
    isWalletAsked: include === "wallet",
    areFixedPointsStrict: false,
    occurredAt: null,
    metadata: null,
    traceId: parseTraceId(request.headers.get("traceparent")),
  };
}

/** Checks whether a key was found and refused: it may lack the permission to credit as well. */
const isOfFoundKey = (error: unknown) =>
  error instanceof Failure &&
  (error.code === "read_permission_missing" || error.code === "point_system_out_of_scope");

/**
 * POST /trigger credits a trigger's points to a wallet; with `include` of `wallet`, it answers the
 * event's id and the wallet's new standing as well.
 */
export const action = endpoint("trigger", {
  scope: "in-statement",
  input: { body: TriggerBody, headers: TriggerHeaders },
  failures: [
    "missing_fields",
    "invalid_wallet_address",
    "invalid_idempotency_key",
    "invalid_include",
    "read_permission_missing",
    ...CREDIT_FAILURES,
  ],
  parse: parseTriggerCall,
  reply: z.strictObject({
    ...creditedFields,
    eventId: z
      .uuid()
      .nullable()
      .optional()
      .describe("With include: the event's id; null for a repetition"),
    wallet: WalletEntryReply.nullable()
      .optional()
      .describe("With include: the wallet after the credit; null if it was not read"),
  }),
  async handle({ input, credential }) {
    const { pointSystemId, triggerKey, walletAddress, isWalletAsked } = input;
    if (isWalletAsked) {
      await authorizeScope(credential, "read", pointSystemId).catch(async (error) => {
        // The permission that every credit needs comes first. No other failure waits for a second look-up.
        if (isOfFoundKey(error)) await authorizeKey(credential, "trigger");
        throw error;
      });
    }
    const credit = await fireTrigger(credential, input);
    const { apiKeyId, eventId, pointsAdded, isReplayed, room } = credit;
    const credited = { success: true as const, pointsAdded, triggerKey, walletAddress };
    const headers = {
      ...(isReplayed && { "Idempotent-Replayed": "true" }),
      ...(room && getRateLimitHeaders("trigger", room)),
    };
    if (!isWalletAsked) return { apiKeyId, body: credited, headers };
    // The credit stands, whatever becomes of this read.
    const wallet = await findWalletEntry(pointSystemId, walletAddress).catch(() => null);
    return { apiKeyId, body: { ...credited, eventId, wallet }, headers };
  },
});
export const loader = action;
