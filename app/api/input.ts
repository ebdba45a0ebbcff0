import { z } from "zod";
import { type Address, parseAddress } from "../domain/address";
import { Failure, type FailureCode } from "../domain/failure";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/pagination";
import { parseUint256 } from "../domain/rewards/token-amount";
import { parseUuid } from "../domain/uuid";

/** Text that a function of the domain reads; what it answers null to is refused. */
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
 * The documented query parameters. An endpoint picks from these; the order in which it names them
 * is the order in which they are checked.
 */
export const parameters = {
  /** Any text: what is no point system is in no key's scope, and answers so. */
  pointSystemId: z.string().min(1),
  /** Where no key's scope decides, what is no UUID is refused. */
  pointSystemUuid: readBy(parseUuid),
  address: ADDRESS,
  /** The value counts: zeros in front make no other number. */
  onchainId: readBy((text) => parseUint256(text.replace(/^0+(?=\d)/, ""))),
  /** Any whole number: what is no chain of rewards has no airdrops. */
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
};

/** What an endpoint answers whichever of its parameters is missing or malformed. */
export interface QueryFailures {
  readonly missing: FailureCode;
  readonly invalid: FailureCode;
}

/**
 * Reads a query string by an endpoint's schema.
 * @param failures of the endpoint's own; otherwise `missing_parameter` and the parameter's own code
 * @throws {Failure} `duplicate_parameter`, then what is missing, then what is malformed: the first,
 *   in the schema's order, of the first kind
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
