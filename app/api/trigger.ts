import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { isIdempotencyKey } from "../domain/ledger/idempotency-key";
import { readJsonBody } from "../http/request";
import { fireTrigger } from "../services/ledger/credit";
import { endpoint } from "./endpoint";

const TriggerBody = z.object({
  triggerKey: z.string().min(1),
  walletAddress: z.string().min(1),
  pointSystemId: z.string().min(1),
  // A trigger of fixed points passes over them, whatever they are.
  points: z.unknown().optional(),
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
  };
}

/** POST /trigger credits a trigger's points to a wallet. */
export const action = endpoint("trigger", {
  scope: "in-statement",
  parse: parseTriggerCall,
  reply: z.strictObject({
    success: z.literal(true),
    pointsAdded: z.int().positive(),
    triggerKey: z.string(),
    walletAddress: z.string(),
  }),
  async handle({ input, credential }) {
    const { apiKeyId, pointsAdded, isReplayed } = await fireTrigger(credential, input);
    const { triggerKey, walletAddress } = input;
    const headers = isReplayed ? { "Idempotent-Replayed": "true" } : {};
    const body = { success: true as const, pointsAdded, triggerKey, walletAddress };
    return { apiKeyId, body, headers };
  },
});
export const loader = action;
