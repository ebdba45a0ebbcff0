import { z } from "zod";
import { type Address, parseAddress } from "../domain/address";
import { Failure, type FailureCode } from "../domain/failure";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/pagination";
import { parseUint256 } from "../domain/rewards/token-amount";
import { parseUuid } from "../domain/uuid";

/** Reads text by a function of the domain, and refuses text for which it returns null. */
const readBy = <Value>(read: (text: string) => Value | null) =>
  z.string().transform((text, context): Value => {
    const value = read(text);
    if (value !== null) return value;
    context.addIssue({ code: "custom", message: "malformed" });
    return z.NEVER;
  });

const ADDRESS = readBy<Address>(parseAddress);

const WHOLE_NUMBER = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(Number)
  .refine((number) => Number.isSafeInteger(number) && number >= 1);

/**
 * The documented query parameters. An endpoint picks from these, and they are checked in the order
 * in which it names them.
 */
export const parameters = {
  /** Any text: an id of no point system is in no key's scope and is answered so. */
  pointSystemId: z.string().min(1),
  /** A UUID, for endpoints without a key: there no scope refuses other text. */
  pointSystemUuid: readBy(parseUuid),
  address: ADDRESS,
  /** The value counts: leading zeros do not change the number. */
  onchainId: readBy((text) => parseUint256(text.replace(/^0+(?=\d)/, ""))),
  /** Any whole number: a chain that is not supported for rewards has no airdrops. */
  chainId: z.string().regex(/^\d+$/).transform(Number),
  around: ADDRESS.optional(),
  page: WHOLE_NUMBER.default(1),
  limit: WHOLE_NUMBER.default(PAGE_LIMIT_DEFAULT).transform((limit) =>
    Math.min(limit, PAGE_LIMIT_MAX),
  ),
};

const INVALID: Record<string, FailureCode> = {
  pointSystemId: "invalid_point_system_id",
  address: "invalid_address",
  around: "invalid_address",
  page: "invalid_page",
  limit: "invalid_limit",
  include: "invalid_include",
};

/** The failures of an endpoint that answers all missing and all malformed parameters alike. */
export interface QueryFailures {
  readonly missing: FailureCode;
  readonly invalid: FailureCode;
}

/**
 * Reads a query string by an endpoint's schema.
 * @param failures the endpoint's own failures; without them, `missing_parameter` and the code of
 *   the malformed parameter
 * @throws {Failure} for the first problem: duplicate parameters (`duplicate_parameter`) before
 *   missing ones before malformed ones, and each kind in the schema's order
 */
export function parseQuery<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  url: string,
  failures?: QueryFailures,
): z.infer<z.ZodObject<Shape>> {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start < 0 ? "" : url.slice(start));
  const names = Object.keys(schema.shape);
  const values: Record<string, string> = {};
  for (const name of names) {
    const [first, ...others] = query.getAll(name);
    if (others.length > 0) throw new Failure("duplicate_parameter", { name });
    if (first !== undefined) values[name] = first;
  }
  for (const name of names) {
    const isRequired = !(schema.shape[name] as z.ZodType).safeParse(undefined).success;
    if (isRequired && !values[name]) {
      throw new Failure(failures?.missing ?? "missing_parameter", { name });
    }
  }
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const name = String(result.error.issues[0]?.path[0]);
  throw new Failure(failures?.invalid ?? INVALID[name] ?? "missing_parameter", { name });
}
