import { z } from "zod";
import { isPayoutReference } from "../../../domain/campaigns/payout";
import { IMPORT_BYTES_MAX } from "../../../domain/imports/import";
import { parseLocalTime } from "../../../domain/local-time";
import { readBoundedText } from "../../../http/request";
import { readUploadBody } from "../../../http/upload";
import { AddressInput } from "../../shared.inputs.server";

const REFERENCE_WRONG = "Use one line of at most 200 characters";

/** The time of a payout, in UTC; now when it is left out. */
const PaidAtInput = z.string().transform((text, context) => {
  const now = new Date();
  const moment = text.trim() === "" ? now : parseLocalTime(text.trim(), "UTC");
  if (moment instanceof Date && moment <= now) return moment;
  context.addIssue({ code: "custom", message: "Enter a time that is not in the future" });
  return z.NEVER;
});

const Addresses = z.array(AddressInput).min(1, "Select at least one wallet").max(100);

/** The wallets that the operator selected, and how they were paid. */
export const PayInputs = z.object({
  addresses: Addresses,
  reference: z
    .string()
    .trim()
    .min(1, "Enter a reference")
    .refine((text) => text === "" || isPayoutReference(text), REFERENCE_WRONG),
  paidAt: PaidAtInput,
});

/** The wallets whose marks are taken back. */
export const UnpayInputs = z.object({ addresses: Addresses });

/** A file of payouts, or its rows as text. */
export const PayoutFileInputs = z
  .object({
    mode: z.enum(["pay", "unpay"], "Choose what to do with these wallets"),
    file: z.string(),
    text: z.string().max(IMPORT_BYTES_MAX, "This is more than 10 MiB"),
    reference: z
      .string()
      .trim()
      .refine((text) => text === "" || isPayoutReference(text), REFERENCE_WRONG)
      .transform((text) => text || null),
    paidAt: PaidAtInput,
  })
  .refine(({ file, text }) => (file.trim() === "") !== (text.trim() === ""), {
    path: ["file"],
    message: "Choose a file with a row for each wallet, or paste its rows below",
  });

/** Reads one of the page's forms, of which one carries a file. */
export async function readPayoutBody(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) return readUploadBody(request);
  return new URLSearchParams(await readBoundedText(request));
}
