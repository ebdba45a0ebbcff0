import { z } from "zod";
import { CREDIT_POINTS_MAX } from "../domain/ledger/points";
import { ADDRESS_FORM } from "./input";

// Fields that the endpoints with a JSON body share.

/** Fields of every body. */
export const bodyFields = {
  walletAddress: z
    .string()
    .min(1)
    .meta({
      ...ADDRESS_FORM,
      minLength: undefined,
      description: "The wallet's 0x address, in any letter case",
    }),
  pointSystemId: z
    .string()
    .min(1)
    .meta({ format: "uuid", minLength: undefined, description: "The point system's UUID" }),
};

/** Fields of every credit. */
export const creditFields = {
  triggerKey: z.string().min(1).describe("The trigger's key, exactly as in the dashboard"),
  walletAddress: bodyFields.walletAddress,
};

/** The documented form of an optional field. */
interface Form extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly enum?: readonly string[];
}

/** The documented form of an amount of points. */
export const POINTS_FORM = {
  type: "integer",
  minimum: 1,
  maximum: CREDIT_POINTS_MAX,
  description: "Points for a trigger of variable points, within its range",
} as const;

/** Stands for points that no trigger takes. */
const IMPOSSIBLE_POINTS = -1;

/**
 * Reads the points of a credit. What is no whole number is refused with its trigger, which may pass over points.
 * @returns null for those that the trigger names
 */
export function readPoints(value: unknown): number | null {
  if (value === null) return null;
  return Number.isSafeInteger(value) ? Number(value) : IMPOSSIBLE_POINTS;
}

/** The documented form of an idempotency key. */
export const IDEMPOTENCY_KEY_FORM = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  pattern: "^[\\x20-\\x7e]+$",
  description: "Makes the credit safe to repeat: your own id of what happened",
} as const;

/** Makes the schema of an optional field, which null leaves out as its absence does. Its endpoint judges the value. */
export function optional(form: Form) {
  return z
    .unknown()
    .optional()
    .transform((value) => value ?? null)
    .meta({
      ...form,
      type: [form.type, "null"],
      ...(form.enum && { enum: [...form.enum, null] }),
    });
}

/** Fields of the answer to every credit. */
export const creditedFields = {
  success: z.literal(true).describe("The points are credited"),
  pointsAdded: z.int().positive().describe("The credited points"),
  triggerKey: z.string().describe("The trigger's key, as sent"),
  walletAddress: z.string().describe("The wallet, lowercase"),
};

/** The failures of a credit that is well-formed. */
export const CREDIT_FAILURES = [
  "invalid_points",
  "idempotency_key_reused",
  "trigger_not_found",
  "trigger_inactive",
  "wallet_blacklisted",
  "rate_limit_exceeded",
  "trigger_cap_reached",
  "points_limit_reached",
  "not_credited",
  "outcome_unknown",
] as const;
