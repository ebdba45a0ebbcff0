import { z } from "zod";
import { parseAddress } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { formatMetadata, parseOccurredAt } from "../../domain/ledger/event-details";
import { isIdempotencyKey } from "../../domain/ledger/idempotency-key";
import { CREDIT_POINTS_MAX } from "../../domain/ledger/points";
import { describeFailure } from "../../http/failures";
import { readJsonBody } from "../../http/request";
import { fireTriggers, type TriggerCall } from "../../services/ledger/credit";
import { endpoint } from "../endpoint";

const ITEMS_MAX = 1_000;
const BODY_BYTES_MAX = 1024 * 1024;

const BatchBody = z.object({
  pointSystemId: z.string().min(1),
  items: z.unknown().optional(),
  atomic: z.boolean().default(false),
});

const Item = z.object({
  triggerKey: z.string().min(1),
  walletAddress: z.string().min(1),
  idempotencyKey: z.unknown().optional(),
  points: z.unknown().optional(),
  occurredAt: z.unknown().optional(),
  metadata: z.unknown().optional(),
});

const CreditedItem = z.strictObject({
  success: z.literal(true),
  pointsAdded: z.int().positive(),
  triggerKey: z.string(),
  walletAddress: z.string(),
  replayed: z.literal(true).optional(),
});

const RefusedItem = z.strictObject({
  success: z.literal(false),
  error: z.string(),
  message: z.string(),
  code: z.string(),
  retryAfter: z.int().optional(),
});

async function parseBatch(request: Request) {
  const body = BatchBody.safeParse(await readJsonBody(request, BODY_BYTES_MAX));
  if (!body.success) throw new Failure("missing_fields");
  const { pointSystemId, items, atomic } = body.data;
  if (!Array.isArray(items) || items.length === 0 || items.length > ITEMS_MAX) {
    throw new Failure("invalid_items");
  }
  return { pointSystemId, isAtomic: atomic, items: items.map(parseItem) };
}

/** Reads an item. One that is not well-formed has its failure as its verdict. */
function parseItem(value: unknown): TriggerCall | Failure {
  const item = Item.safeParse(value);
  if (!item.success) return new Failure("missing_fields");
  const { triggerKey, idempotencyKey = null, points = null, occurredAt, metadata } = item.data;
  const walletAddress = parseAddress(item.data.walletAddress);
  if (!walletAddress) return new Failure("invalid_wallet_address");
  if (idempotencyKey !== null) {
    const isKey = typeof idempotencyKey === "string" && isIdempotencyKey(idempotencyKey);
    if (!isKey) return new Failure("invalid_idempotency_key");
  }
  if (points !== null && !z.int().min(1).max(CREDIT_POINTS_MAX).safeParse(points).success) {
    return new Failure("invalid_points");
  }
  const happened = occurredAt === undefined ? null : parseOccurredAt(occurredAt);
  if (occurredAt !== undefined && happened === null) return new Failure("invalid_occurred_at");
  const details = metadata === undefined ? null : formatMetadata(metadata);
  if (metadata !== undefined && details === null) return new Failure("invalid_metadata");
  return {
    triggerKey,
    walletAddress,
    idempotencyKey: idempotencyKey as string | null,
    points: points as number | null,
    areFixedPointsStrict: true,
    occurredAt: happened,
    metadata: details,
  };
}

/** POST /trigger/batch credits many calls at once, each with a verdict of its own. */
export const action = endpoint("trigger/batch", {
  scope: "point-system",
  parse: parseBatch,
  reply: z.strictObject({
    results: z.array(z.union([CreditedItem, RefusedItem])),
    credited: z.int().nonnegative(),
    refused: z.int().nonnegative(),
  }),
  async handle({ input, credential }) {
    const verdicts = await fireTriggers(credential, input);
    const results = verdicts.map((verdict, i) => {
      if (verdict instanceof Failure) {
        const { message } = describeFailure(verdict);
        const retryAfter = verdict.details.retryAfterSeconds;
        return {
          success: false as const,
          error: message,
          message,
          code: verdict.code,
          ...(retryAfter !== undefined && { retryAfter }),
        };
      }
      const { triggerKey, walletAddress } = input.items[i] as TriggerCall;
      return {
        success: true as const,
        pointsAdded: verdict.pointsAdded,
        triggerKey,
        walletAddress,
        ...(verdict.isReplayed && { replayed: true as const }),
      };
    });
    const credited = results.filter(({ success }) => success).length;
    return { body: { results, credited, refused: results.length - credited } };
  },
});
export const loader = action;
