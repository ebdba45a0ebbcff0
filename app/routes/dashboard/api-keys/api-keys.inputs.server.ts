import { z } from "zod";
import { PERMISSIONS } from "../../../domain/access/api-key";
import { TitleInput } from "../../shared.inputs.server";

/** The last day of a key, in UTC and included; empty for none. */
const ExpiryInput = z
  .string()
  .trim()
  .transform((day, issues) => {
    if (day === "") return null;
    const end = new Date(`${day}T23:59:59.999Z`);
    if (!z.iso.date().safeParse(day).success || Number.isNaN(end.getTime())) {
      issues.addIssue("Enter a date such as 2027-01-31");
      return z.NEVER;
    }
    if (end.getTime() > Date.now()) return end;
    issues.addIssue("Enter today or a later date");
    return z.NEVER;
  });

/** The longest form of a new key, in bytes: as many point systems as it can have. */
export const API_KEY_FORM_BYTES_MAX = 64 * 1024;

export const NewApiKeyInputs = z.object({
  /** The id of the form, which becomes the id of its key. */
  id: z.string().max(100),
  name: TitleInput,
  permission: z.enum(PERMISSIONS, "Choose a permission"),
  pointSystems: z
    .array(z.string().max(100))
    .min(1, "Choose at least one point system")
    .max(1_000, "Choose fewer point systems"),
  expires: ExpiryInput,
});

export const ApiKeyDeletionInputs = z.object({ id: z.string().max(100) });
