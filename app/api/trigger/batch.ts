import { z } from "zod";
import { parseAddress } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { formatMetadata, parseOccurredAt } from "../../domain/ledger/event-details";
import { isIdempotencyKey } from "../../domain/ledger/idempotency-key";
import { parseTraceId } from "../../domain/trace";
import { describeFailure } from "../../http/failures";
import { readJsonBody } from "../../http/request";
import { fireTriggers, type TriggerCall } from "../../services/ledger/credit";
import {
  bodyFields,
  CREDIT_FAILURES,
  creditedFields,
  creditFields,
  IDEMPOTENCY_KEY_FORM,
  optional,
  POINTS_FORM,
  readPoints,
} from "../credit-fields";
import { endpoint } from "../endpoint";
import { noteRefusedItem } from "../refusals";

/** The failures that an item can have as its verdict. */
const ITEM_FAILURES = [
  "missing_fields",
  "invalid_wallet_address",
  "invalid_idempotency_key",
  "invalid_metadata",
  "invalid_occurred_at",
  ...CREDIT_FAILURES,
] as const;

const ITEMS_MAX = 1_000;
const BODY_BYTES_MAX = 1024 * 1024;

const BatchBody = z.object({
  pointSystemId: bodyFields.pointSystemId,
  items: z.unknown().optional(),
  atomic: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
});

const Item = z.object({
  ...creditFields,
  idempotencyKey: optional(IDEMPOTENCY_KEY_FORM),
  points: optional(POINTS_FORM),
  occurredAt: optional({
    type: "string",
    format: "date-time",
    description: "The time at which it happened, at most 30 days back. It changes no order",
  }),
  metadata: optional({
    type: "object",
    additionalProperties: { type: ["string", "number", "boolean", "null"] },
    description: "Your own data: a flat object, at most 2 KiB as JSON",
  }),
});

/** The documented body, whose items are judged one by one. */
const DocumentedBody = z.object({
  pointSystemId: bodyFields.pointSystemId,
  items: z
    .array(Item.meta({ id: "BatchItem" }))
    .min(1)
    .max(ITEMS_MAX)
    .describe("The credits, 1 to 1,000"),
  atomic: optional({
    type: "boolean",
    default: false,
    description: "With true, every item is credited or none",
  }),
});

const CreditedItem = z
  .strictObject({
    ...creditedFields,
    replayed: z.literal(true).optional().describe("There when it repeats an earlier credit"),
  })
  .meta({ id: "CreditedItem", description: "A credited item" });

const RefusedItem = z
  .strictObject({
    success: z.literal(false),
    error: z.string().describe("The message of the error"),
    message: z.string().describe("The same message"),
    code: z.enum(ITEM_FAILURES).describe("The error's code"),
    retryAfter: z
      .int()
      .optional()
      .describe(
        "With rate_limit_exceeded and trigger_cap_reached, the seconds after which it can succeed",
      ),
  })
  .meta({ id: "RefusedItem", description: "A refused item" });

async function parseBatch(request: Request) {
  const body = BatchBody.safeParse(await readJsonBody(request, BODY_BYTES_MAX));
  if (!body.success) {
    const isIdMissing = body.error.issues.some(({ path }) => path[0] !== "atomic");
    throw new Failure(isIdMissing ? "missing_fields" : "invalid_atomic");
  }
  const { pointSystemId, items, atomic } = body.data;
  if (!Array.isArray(items) || items.length === 0 || items.length > ITEMS_MAX) {
    throw new Failure("invalid_items");
  }
  const traceId = parseTraceId(request.headers.get("traceparent"));
  return { pointSystemId, isAtomic: atomic, items: items.map((item) => parseItem(item, traceId)) };
}

/** Reads an item. One that is not well-formed has its failure as its verdict. */
function parseItem(value: unknown, traceId: string | null): TriggerCall | Failure {
  const item = Item.safeParse(value);
  if (!item.success) return new Failure("missing_fields");
  const { triggerKey, idempotencyKey, points, occurredAt, metadata } = item.data;
  const walletAddress = parseAddress(item.data.walletAddress);
  if (!walletAddress) return new Failure("invalid_wallet_address");
  if (idempotencyKey !== null) {
    const isKey = typeof idempotencyKey === "string" && isIdempotencyKey(idempotencyKey);
    if (!isKey) return new Failure("invalid_idempotency_key");
  }
  const happened = occurredAt === null ? null : parseOccurredAt(occurredAt);
  const isTimeRefused = occurredAt !== null && happened === null;
  // The time of a repetition may have become too old since the first call.
  if (isTimeRefused && idempotencyKey === null) return new Failure("invalid_occurred_at");
  const details = metadata === null ? null : formatMetadata(metadata);
  if (metadata !== null && details === null) return new Failure("invalid_metadata");
  return {
    triggerKey,
    walletAddress,
    idempotencyKey: idempotencyKey as string | null,
    points: readPoints(points),
    areFixedPointsStrict: true,
    occurredAt: happened,
    metadata: details,
    traceId,
    ...(isTimeRefused && { unlessRepeated: "invalid_occurred_at" }),
  };
}

/** POST /trigger/batch credits many calls at once, each with a verdict of its own. */
export const action = endpoint("trigger/batch", {
  scope: "point-system",
  input: { body: DocumentedBody },
  failures: [
    "missing_fields",
    "invalid_atomic",
    "invalid_items",
    "not_credited",
    "outcome_unknown",
  ],
  itemFailures: ITEM_FAILURES,
  parse: parseBatch,
  reply: z.strictObject({
    results: z
      .array(z.union([CreditedItem, RefusedItem]))
      .describe("A result for each item, in their order"),
    credited: z.int().nonnegative().describe("Number of credited items, repeated ones too"),
    refused: z.int().nonnegative().describe("Number of refused items"),
  }),
  async handle({ input, credential }) {
    const verdicts = await fireTriggers(credential, input);
    const results = verdicts.map((verdict, i) => {
      if (verdict instanceof Failure) {
        noteRefusedItem(input.pointSystemId, verdict);
        const { message } = describeFailure(verdict);
        const retryAfter = verdict.details.retryAfterSeconds;
        return {
          success: false as const,
          error: message,
          message,
          code: verdict.code as (typeof ITEM_FAILURES)[number],
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
