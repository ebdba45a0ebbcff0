import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { isIdempotencyKey } from "../domain/ledger/idempotency-key";
import { parseTraceId } from "../domain/trace";
import { getRateLimitHeaders } from "../http/rate-limit";
import { readJsonBody } from "../http/request";
import { fireTrigger } from "../services/ledger/credit";
import {
  bodyFields,
  CREDIT_FAILURES,
  creditedFields,
  creditFields,
  IDEMPOTENCY_KEY_FORM,
  POINTS_FORM,
} from "./credit-fields";
import { endpoint } from "./endpoint";

const TriggerBody = z.object({
  ...creditFields,
  pointSystemId: bodyFields.pointSystemId,
  // A trigger of fixed points passes over them, whatever they are.
  points: z.unknown().optional().meta(POINTS_FORM),
});

const TriggerHeaders = z.object({
  "Idempotency-Key": z.string().optional().meta(IDEMPOTENCY_KEY_FORM),
});

/** Stands for points that no trigger takes. */
const IMPOSSIBLE_POINTS = -1;

async function parseTriggerCall(request: Request) {
  const body = TriggerBody.safeParse(await readJsonBody(request));
  if (!body.success) throw new Failure("missing_fields");
  const walletAddress = parseAddress(body.data.walletAddress);
  if (!walletAddress) throw new Failure("invalid_wallet_address");
  const idempotencyKey = request.headers.get("idempotency-key");
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    throw new Failure("invalid_idempotency_key");
  }
  const { points } = body.data;
  return {
    ...body.data,
    walletAddress,
    idempotencyKey,
    points:
      points === undefined
        ? null
        : Number.isSafeInteger(points)
          ? Number(points)
          : IMPOSSIBLE_POINTS,
    areFixedPointsStrict: false,
    occurredAt: null,
    metadata: null,
    traceId: parseTraceId(request.headers.get("traceparent")),
  };
}

/** POST /trigger credits a trigger's points to a wallet. */
export const action = endpoint("trigger", {
  scope: "in-statement",
  input: { body: TriggerBody, headers: TriggerHeaders },
  failures: [
    "missing_fields",
    "invalid_wallet_address",
    "invalid_idempotency_key",
    ...CREDIT_FAILURES,
  ],
  parse: parseTriggerCall,
  reply: z.strictObject(creditedFields),
  async handle({ input, credential }) {
    const { apiKeyId, pointsAdded, isReplayed, room } = await fireTrigger(credential, input);
    const { triggerKey, walletAddress } = input;
    const headers = {
      ...(isReplayed && { "Idempotent-Replayed": "true" }),
      ...(room && getRateLimitHeaders("trigger", room)),
    };
    const body = { success: true as const, pointsAdded, triggerKey, walletAddress };
    return { apiKeyId, body, headers };
  },
});
export const loader = action;
