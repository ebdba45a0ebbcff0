import { z } from "zod";
import { type Address, parseAddress } from "../domain/address";
import { parseBoardReference } from "../domain/board/board-reference";
import { Failure, type FailureCode } from "../domain/failure";
import { PROGRAM_WEEKS_DEFAULT, PROGRAM_WEEKS_MAX } from "../domain/insights/program";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/pagination";
import type { ApiErrorCode } from "../domain/reference/error-help";
import { parseUint256 } from "../domain/rewards/token-amount";
import { parseUuid } from "../domain/uuid";
import { readJsonBody } from "../http/request";

/** Reads text by a function of the domain, and refuses text for which it returns null. */
const readBy = <Value>(read: (text: string) => Value | null) =>
  z.string().transform((text, context): Value => {
    const value = read(text);
    if (value !== null) return value;
    context.addIssue({ code: "custom", message: "malformed" });
    return z.NEVER;
  });

/** The documented form of an address in an input, which `parseAddress` reads. */
export const ADDRESS_FORM = { pattern: "^0[xX][0-9a-fA-F]{40}$" } as const;

/** Declares a wallet's address in a body of the management API. */
export const declareAddress = (description: string) =>
  z
    .string()
    .regex(new RegExp(ADDRESS_FORM.pattern), "Enter an address: 0x and 40 hexadecimal digits")
    .meta({ ...ADDRESS_FORM, description });

const ADDRESS = readBy<Address>(parseAddress).meta({
  ...ADDRESS_FORM,
  description: "A wallet's 0x address, in any letter case",
});

const WHOLE_NUMBER = z
  .string()
  .regex(/^[0-9]+$/, "Send a whole number from 1")
  .transform(Number)
  .refine((number) => Number.isSafeInteger(number) && number >= 1, "Send a whole number from 1");

/** The documented form of a whole number in a query: a number, where the parser reads digits. */
const WHOLE_NUMBER_FORM = { type: "integer", pattern: undefined } as const;

/**
 * The documented query parameters. An endpoint picks from these, and they are checked in the order
 * in which it names them. Their `meta` is what the OpenAPI document says of them.
 */
export const parameters = {
  /** Any text: an id of no point system is in no key's scope and is answered so. */
  pointSystemId: z
    .string()
    .min(1)
    .meta({ format: "uuid", minLength: undefined, description: "The point system's UUID" }),
  /** A UUID, for endpoints without a key: there no scope refuses other text. */
  pointSystemUuid: readBy(parseUuid).meta({
    format: "uuid",
    description: "The point system's UUID. An unknown one is answered with an empty list",
  }),
  address: ADDRESS,
  /** The value counts: leading zeros do not change the number. */
  onchainId: readBy((text) => parseUint256(text.replace(/^0+(?=\d)/, ""))).meta({
    pattern: "^[0-9]+$",
    description: "The airdrop's id in the campaign contract, up to 2^256-1, as digits",
  }),
  /** Any whole number: a chain that is not supported for rewards has no airdrops. */
  chainId: z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .meta({
      ...WHOLE_NUMBER_FORM,
      minimum: 0,
      description: "The airdrop's chain: 5031, 50312, 8453 or 84532",
    }),
  board: readBy(parseBoardReference)
    .transform((board) => (board === "all-time" ? undefined : board))
    .optional()
    .meta({
      pattern: "^(all-time|(daily|weekly|monthly)(:[0-9W-]+)?|season:[a-z0-9-]+)$",
      description:
        "The board: all-time, daily, weekly, monthly, one of these with a past window as weekly:2026-W47, daily:2026-11-22 or monthly:2026-11, or season:SLUG. Without it, the all-time board",
    }),
  around: ADDRESS.optional().describe("A wallet whose page is answered. It replaces page"),
  page: WHOLE_NUMBER.default(1).meta({
    ...WHOLE_NUMBER_FORM,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1,
    description: "The page, from 1. A page past the end has no entries and true totals",
  }),
  limit: WHOLE_NUMBER.default(PAGE_LIMIT_DEFAULT)
    .transform((limit) => Math.min(limit, PAGE_LIMIT_MAX))
    .meta({
      ...WHOLE_NUMBER_FORM,
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: PAGE_LIMIT_DEFAULT,
      description: `Entries on a page. Over ${PAGE_LIMIT_MAX} counts as ${PAGE_LIMIT_MAX}, and the answer says so`,
    }),
  weeks: WHOLE_NUMBER.refine(
    (weeks) => weeks <= PROGRAM_WEEKS_MAX,
    `Send at most ${PROGRAM_WEEKS_MAX}`,
  )
    .default(PROGRAM_WEEKS_DEFAULT)
    .meta({
      ...WHOLE_NUMBER_FORM,
      minimum: 1,
      maximum: PROGRAM_WEEKS_MAX,
      default: PROGRAM_WEEKS_DEFAULT,
      description: `The number of weeks, 1 to ${PROGRAM_WEEKS_MAX}`,
    }),
};

const INVALID: Record<string, ApiErrorCode> = {
  pointSystemId: "invalid_point_system_id",
  address: "invalid_address",
  around: "invalid_address",
  page: "invalid_page",
  limit: "invalid_limit",
  include: "invalid_include",
  board: "invalid_board",
};

/** A query that an endpoint reads: its parameters, and the failures that it has of its own. */
export interface QueryInput<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly query: z.ZodObject<Shape>;
  readonly failures?: {
    /** Answers any missing parameter; otherwise `missing_parameter` does. */
    readonly missing?: ApiErrorCode;
    /** Answers any malformed parameter but `include`; otherwise each has a code of its own. */
    readonly invalid?: ApiErrorCode;
  };
}

/** A JSON body that an endpoint reads, and headers beside the usual ones. */
export interface BodyInput {
  readonly body: z.ZodObject;
  readonly headers?: z.ZodObject;
}

/** The declared input of an endpoint, from which its reference is made. */
export type DeclaredInput = QueryInput | BodyInput;

/**
 * Reads a query string by an endpoint's declared input.
 * @throws {Failure} for the first problem: duplicate parameters (`duplicate_parameter`) before
 *   missing ones before malformed ones, and each kind in the schema's order
 */
export function parseQuery<Shape extends z.ZodRawShape>(
  { query: schema, failures }: QueryInput<Shape>,
  url: string,
): z.infer<z.ZodObject<Shape>> {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start < 0 ? "" : url.slice(start));
  const names = Object.keys(schema.shape);
  const values: Record<string, string> = {};
  for (const name of names) {
    const [first, ...others] = query.getAll(name);
    if (others.length > 0) throw new Failure("duplicate_parameter", { name });
    // A blank parameter is an absent one.
    if (first) values[name] = first;
  }
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const missing = names.find((name) => !(name in values) && isRequired(schema.shape[name]));
  if (missing !== undefined) {
    throw new Failure(failures?.missing ?? "missing_parameter", { name: missing });
  }
  const [{ path, message } = { path: [], message: "" }] = result.error.issues;
  const name = String(path[0]);
  const code = getInvalidCode(name, failures);
  throw new Failure(code, { name: code === "invalid_field" ? `${name}: ${message}` : name });
}

function getInvalidCode(name: string, failures: QueryInput["failures"]): ApiErrorCode {
  const shared = name === "include" ? undefined : failures?.invalid;
  return shared ?? INVALID[name] ?? "missing_parameter";
}

function isRequired(schema: unknown): boolean {
  return !(schema as z.ZodType).safeParse(undefined).success;
}

/** Lists the failures that reading an input can end in, the endpoint's own ones aside. */
export function listInputFailures(input: DeclaredInput): FailureCode[] {
  if ("body" in input) {
    return [
      "unsupported_content_type",
      "unsupported_content_encoding",
      "body_too_large",
      "invalid_json",
    ];
  }
  const { query, failures } = input;
  const names = Object.keys(query.shape);
  const malformed = names.flatMap((name) => {
    const takesAnyText = (query.shape[name] as z.ZodType).safeParse("\0").success;
    return takesAnyText ? [] : [getInvalidCode(name, failures)];
  });
  const isMissable = names.some((name) => isRequired(query.shape[name]));
  return [
    "duplicate_parameter",
    ...(isMissable ? [failures?.missing ?? ("missing_parameter" as const)] : []),
    ...new Set(malformed),
  ];
}

/**
 * Reads a body of fields that are there.
 * @param required the fields, in the order in which one that is absent or of another type is answered
 * @throws {Failure} `missing_parameter`, and as `readJsonBody`
 */
export async function readBody<Shape extends z.ZodRawShape>(
  request: Request,
  schema: z.ZodObject<Shape>,
  required: readonly [string, ...string[]],
): Promise<z.output<z.ZodObject<Shape>>> {
  const body = schema.safeParse(await readJsonBody(request));
  if (body.success) return body.data;
  const bad = new Set(body.error.issues.map(({ path }) => path[0]));
  throw new Failure("missing_parameter", {
    name: required.find((field) => bad.has(field)) ?? required[0],
  });
}
