import { z } from "zod";
import { parseAddress } from "../../../domain/address";
import { CREDIT_POINTS_MAX } from "../../../domain/ledger/points";
import {
  sanitizeTriggerKey,
  TRIGGER_KEY_LENGTH_MAX,
} from "../../../domain/point-systems/trigger-key";
import { FormToken } from "../../../http/form-token";
import type { TriggerFields } from "../../../services/point-systems/triggers";
import { TitleInput } from "./point-system.inputs.server";

/** Whole points of one credit, as a person types them; NaN for anything else. */
const PointsInput = z
  .string()
  .trim()
  .transform((text) => {
    const points = /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
    return points >= 1 && points <= CREDIT_POINTS_MAX ? points : Number.NaN;
  });

/** A trigger key, made from the typed text by the same rule as in the form. */
const TriggerKeyInput = z
  .string()
  .max(1_000, "This is too long")
  .transform(sanitizeTriggerKey)
  .refine((key) => key !== "", "Enter a key with at least one letter a to z or digit")
  .refine(
    (key) => key.length <= TRIGGER_KEY_LENGTH_MAX,
    `Use a key of at most ${TRIGGER_KEY_LENGTH_MAX} characters`,
  );

/** The fields of a trigger that can be changed. The limits of fixed points are ignored. */
const TriggerFieldInputs = z.object({
  name: TitleInput,
  kind: z.enum(["fixed", "variable"], "Choose fixed or variable points"),
  points: PointsInput,
  pointsMin: PointsInput,
  pointsMax: PointsInput,
});

type PointsInputs = Omit<z.output<typeof TriggerFieldInputs>, "name">;

function checkPoints(inputs: PointsInputs, context: z.RefinementCtx<PointsInputs>): void {
  const { kind, points, pointsMin, pointsMax } = inputs;
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  const fields = kind === "fixed" ? { points } : { points, pointsMin, pointsMax };
  for (const [field, value] of Object.entries(fields)) {
    if (Number.isNaN(value)) refuse(field, "Enter a whole number from 1 to 1,000,000,000");
  }
  if (kind === "fixed") return;
  if (pointsMin > pointsMax) refuse("pointsMax", "Enter at least the least points");
  else if (points < pointsMin) refuse("points", "Enter at least the least points");
  else if (points > pointsMax) refuse("points", "Enter at most the most points");
}

export const TriggerInputs = TriggerFieldInputs.superRefine(checkPoints);

export const NewTriggerInputs = TriggerFieldInputs.extend({ key: TriggerKeyInput }).superRefine(
  checkPoints,
);

/** Makes a trigger's fields from valid inputs. */
export function toTriggerFields({
  name,
  kind,
  points,
  pointsMin,
  pointsMax,
}: z.output<typeof TriggerInputs>): TriggerFields {
  return { name, points, variable: kind === "fixed" ? null : { min: pointsMin, max: pointsMax } };
}

/** The state that a trigger is set to, not a toggle: sending it twice has the same result. */
const WantedState = z.enum(["active", "inactive"]).transform((state) => state === "active");

export const TriggerStateInputs = z.object({ isActive: WantedState });

export const ListedTriggerStateInputs = TriggerStateInputs.extend({ key: z.string().max(100) });

export const TestFireInputs = z.object({
  address: z
    .string()
    .trim()
    .transform((text, issues) => {
      const address = parseAddress(text);
      if (address) return address;
      issues.addIssue("Enter an address: 0x and 40 hexadecimal digits");
      return z.NEVER;
    }),
  token: FormToken,
});
