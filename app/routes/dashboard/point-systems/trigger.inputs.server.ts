import { z } from "zod";
import { parseAddress } from "../../../domain/address";
import { CREDIT_POINTS_MAX } from "../../../domain/ledger/points";
import {
  sanitizeTriggerKey,
  TRIGGER_KEY_LENGTH_MAX,
} from "../../../domain/point-systems/trigger-key";
import { FormToken } from "../../../http/form-token";
import { TitleInput } from "./point-system.inputs.server";

/** Whole points of one credit, as a person types them. */
const PointsInput = z
  .string()
  .trim()
  .regex(/^[0-9]{1,15}$/, "Enter a whole number, digits only")
  .transform(Number)
  .refine(
    (points) => points >= 1 && points <= CREDIT_POINTS_MAX,
    "Enter a number from 1 to 1,000,000,000",
  );

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

/** The fields of a trigger that can be changed. */
export const TriggerInputs = z.object({ name: TitleInput, points: PointsInput });

export const NewTriggerInputs = TriggerInputs.extend({ key: TriggerKeyInput });

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
