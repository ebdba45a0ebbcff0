import { z } from "zod";
import type { Address } from "../../../domain/address";
import { parseAddress } from "../../../domain/address";
import { parseLocalTime } from "../../../domain/local-time";
import { BOOST_WALLETS_MAX, isBoostFactor } from "../../../domain/point-systems/boost";
import {
  checkLocalTime,
  LocalTimeInput,
  TimeZoneInput,
  TitleInput,
} from "../../shared.inputs.server";

/** The longest form that is read, in bytes: a thousand addresses as a browser encodes them. */
export const BOOST_FORM_BYTES_MAX = 128 * 1024;

const FactorInput = z
  .string()
  .trim()
  .transform((text) => (/^[0-9]{1,3}(\.[0-9]{1,2})?$/.test(text) ? Number(text) : Number.NaN))
  .refine(isBoostFactor, "Enter a factor from 1.01 to 100, with at most two decimal places");

/** Addresses, one a line, each once. */
const WalletsInput = z.string().transform((text, context) => {
  const addresses = new Set<Address>();
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    const address = parseAddress(line.trim());
    if (address) addresses.add(address);
    else if (line.trim() !== "") {
      context.addIssue(`Line ${i + 1} is not an address: 0x and 40 hexadecimal digits`);
      return z.NEVER;
    }
  }
  if (addresses.size <= BOOST_WALLETS_MAX) return [...addresses];
  context.addIssue(`Enter at most ${BOOST_WALLETS_MAX.toLocaleString("en")} addresses`);
  return z.NEVER;
});

/** The form of a boost. An empty start is now or, of a boost that is there, the one that it has. */
export const BoostInputs = z
  .object({
    name: TitleInput,
    factor: FactorInput,
    startsAt: LocalTimeInput,
    endsAt: LocalTimeInput,
    timeZone: TimeZoneInput,
    on: z.enum(["all", "chosen"], "Choose the triggers"),
    triggerKeys: z.array(z.string().max(100)).max(500),
    for: z.enum(["all", "listed"], "Choose the wallets"),
    wallets: WalletsInput,
  })
  .superRefine((inputs, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const { timeZone, on, triggerKeys } = inputs;
    if (on === "chosen" && triggerKeys.length === 0) refuse("triggerKeys", "Choose a trigger");
    if (inputs.for === "listed" && inputs.wallets.length === 0) {
      refuse("wallets", "Enter at least one address");
    }
    const read = (field: "startsAt" | "endsAt") =>
      checkLocalTime(field, inputs[field], timeZone, context);
    const startsAt = inputs.startsAt === "" ? null : read("startsAt");
    const endsAt = read("endsAt");
    if (startsAt && endsAt && startsAt >= endsAt) refuse("endsAt", "Choose an end after the start");
  });

/** Makes the fields of a boost from its form. An empty start is null. */
export function readBoost(inputs: z.output<typeof BoostInputs>) {
  const { name, factor, timeZone } = inputs;
  const read = (text: string) => {
    const moment = parseLocalTime(text, timeZone);
    return moment instanceof Date ? moment : null;
  };
  return {
    ...{ name, factor, timeZone },
    startsAt: read(inputs.startsAt),
    // The form's rule has checked that it is a time.
    endsAt: read(inputs.endsAt) ?? new Date(Number.NaN),
    triggerKeys: inputs.on === "all" ? null : inputs.triggerKeys,
    wallets: inputs.for === "all" ? null : inputs.wallets,
  };
}
