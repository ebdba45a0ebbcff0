import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { readJsonBody } from "../http/request";
import { fireTrigger, type TriggerCall } from "../services/ledger/credit";
import { endpoint } from "./endpoint";

const TriggerBody = z.object({
  triggerKey: z.string().min(1),
  walletAddress: z.string().min(1),
  pointSystemId: z.string().min(1),
});

/** The accepted idempotency keys: 1 to 255 printable ASCII characters. */
const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

async function parseTriggerCall(request: Request): Promise<TriggerCall> {
  const body = TriggerBody.safeParse(await readJsonBody(request));
  if (!body.success) throw new Failure("missing_fields");
  const walletAddress = parseAddress(body.data.walletAddress);
  if (!walletAddress) throw new Failure("invalid_wallet_address");
  const idempotencyKey = request.headers.get("idempotency-key");
  if (idempotencyKey !== null && !IDEMPOTENCY_KEY_PATTERN.test(idempotencyKey)) {
    throw new Failure("invalid_idempotency_key");
  }
  return { ...body.data, walletAddress, idempotencyKey };
}

/** POST /trigger credits a trigger's fixed points to a wallet. */
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
