import { z } from "zod";
import { parseAddress } from "../../../domain/address";
import { describeAddressDoubt } from "../../../domain/address-doubt";
import { CREDIT_POINTS_MAX } from "../../../domain/ledger/points";
import { isTimeZone } from "../../../domain/local-time";
import { CAP_MAX, CAP_WINDOWS } from "../../../domain/point-systems/trigger-cap";
import { FormToken } from "../../../http/form-token";
import type { TriggerFields } from "../../../services/point-systems/triggers";
import { KeyInput, TitleInput } from "../../shared.inputs.server";

/** Whole points of one credit, as a person types them; NaN for anything else. */
const PointsInput = z
  .string()
  .trim()
  .transform((text) => {
    const points = /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
    return points >= 1 && points <= CREDIT_POINTS_MAX ? points : Number.NaN;
  });

/** A limit of a cap, as a person types it: null for none, NaN for anything else than a whole number. */
const CapLimitInput = z
  .string()
  .trim()
  .transform((text) => {
    if (text === "") return null;
    const limit = /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= CAP_MAX ? limit : Number.NaN;
  });

/** The fields of a trigger that can be changed. The limits of fixed points are ignored. */
const TriggerFieldInputs = z.object({
  name: TitleInput,
  kind: z.enum(["fixed", "variable"], "Choose fixed or variable points"),
  points: PointsInput,
  pointsMin: PointsInput,
  pointsMax: PointsInput,
  hasCap: z.enum(["yes", "no", ""], "Choose whether it has a cap"),
  capTimes: CapLimitInput,
  capPoints: CapLimitInput,
  capWindow: z.string().transform((text) => CAP_WINDOWS.find((window) => window === text)),
  capTimeZone: z.string().max(64, "Choose a time zone"),
});

type PointsInputs = Omit<z.output<typeof TriggerFieldInputs>, "name">;

function checkFields(inputs: PointsInputs, context: z.RefinementCtx<PointsInputs>): void {
  checkPoints(inputs, context);
  if (inputs.hasCap === "yes") checkCap(inputs, context);
}

/** Checks the limits of a cap. Those of a trigger without one are ignored. */
function checkCap(
  { capTimes, capPoints, capWindow, capTimeZone, kind, points, pointsMin }: PointsInputs,
  context: z.RefinementCtx<PointsInputs>,
): void {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  for (const [field, value] of Object.entries({ capTimes, capPoints })) {
    if (Number.isNaN(value)) refuse(field, "Enter a whole number from 1 to 1,000,000,000");
  }
  if (capTimes === null && capPoints === null) refuse("capTimes", "Enter times, points or both");
  if (capWindow === undefined) refuse("capWindow", "Choose a time span");
  if (!isTimeZone(capTimeZone)) refuse("capTimeZone", "Choose a time zone");
  const least = kind === "fixed" ? points : pointsMin;
  if (capPoints !== null && capPoints < least) {
    refuse("capPoints", "Enter at least the points of one call");
  }
}

function checkPoints(inputs: PointsInputs, context: z.RefinementCtx<PointsInputs>): void {
  const { kind, points, pointsMin, pointsMax } = inputs;
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  const fields = kind === "fixed" ? { points } : { points, pointsMin, pointsMax };
  for (const [field, value] of Object.entries(fields)) {
    if (Number.isNaN(value)) refuse(field, "Enter a whole number from 1 to 1,000,000,000");
  }
  if (kind === "fixed") return;
  if (pointsMin > pointsMax) refuse("pointsMax", "Enter at least the minimum points");
  else if (points < pointsMin) refuse("points", "Enter at least the minimum points");
  else if (points > pointsMax) refuse("points", "Enter at most the maximum points");
}

export const TriggerInputs = TriggerFieldInputs.superRefine(checkFields);

export const NewTriggerInputs = TriggerFieldInputs.extend({ key: KeyInput }).superRefine(
  checkFields,
);

/** Makes a trigger's fields from valid inputs. */
export function toTriggerFields({
  name,
  kind,
  points,
  pointsMin,
  pointsMax,
  hasCap,
  ...cap
}: z.output<typeof TriggerInputs>): TriggerFields {
  const { capWindow: window = "daily", capTimeZone: timeZone, capTimes: times, capPoints } = cap;
  return {
    name,
    points,
    variable: kind === "fixed" ? null : { min: pointsMin, max: pointsMax },
    cap: hasCap === "yes" ? { window, timeZone, times, points: capPoints } : null,
  };
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
      if (address) return { address, doubt: describeAddressDoubt(text) };
      issues.addIssue("Enter an address: 0x and 40 hexadecimal digits");
      return z.NEVER;
    }),
  token: FormToken,
});
