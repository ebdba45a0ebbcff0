import { z } from "zod";
import { parseCursor } from "../../domain/cursor";
import { Failure } from "../../domain/failure";
import type { ApiErrorCode } from "../../domain/reference/error-help";
import type { ExampleValues } from "../../domain/reference/example";
import { isStorableText } from "../../domain/storable-text";
import { readJsonBody } from "../../http/request";
import { getKeyActor, getKeyOwner } from "../../services/access/key-actor";
import type { Actor, Member } from "../../services/access/members";
import { bodyFields } from "../credit-fields";
import type { EndpointProse } from "../document/prose-form";
import { type AuthorizedCall, type Endpoint, endpoint, type Shapes } from "../endpoint";
import { API_ENDPOINTS, type ManagePath } from "../endpoints";
import { parameters, parseQuery } from "../input";

type Example = Readonly<Record<string, unknown>>;

/** The parts of an operation that all have. */
interface OperationParts<Fields extends z.ZodRawShape, Reply extends z.ZodType> {
  /** The operation's id in the OpenAPI document, from which its title is made. */
  readonly name: string;
  /** The fields of the query or the body, beside the point system's id. */
  readonly fields: Fields;
  /** The failures of its service. */
  readonly failures: readonly ApiErrorCode[];
  readonly reply: Reply;
  /** Its rules beside those of all operations, a sentence each. */
  readonly notes?: readonly string[];
  /** The longest body, in bytes, when it is more than 16 KiB. */
  readonly bytesMax?: number;
  readonly example: {
    /** The request beside the point system's id, perhaps with the reader's own values. */
    readonly request: Example | ((values: ExampleValues) => Example);
    readonly answer: unknown;
  };
}

type Fielded<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

/** An operation within a point system, on behalf of its owner. */
interface SystemOperation<Fields extends z.ZodRawShape, Reply extends z.ZodType>
  extends OperationParts<Fields, Reply> {
  readonly handle: (
    owner: Member<"owner">,
    input: Fielded<Fields>,
  ) => Promise<z.input<Reply>> | z.input<Reply>;
}

/** An operation of no point system in particular, on behalf of the key's operator. */
interface AccountOperation<Fields extends z.ZodRawShape, Reply extends z.ZodType>
  extends OperationParts<Fields, Reply> {
  readonly handle: (actor: Actor, input: Fielded<Fields>) => Promise<z.input<Reply>>;
}

/** An endpoint of the management API, with its words and examples. */
export type Operation = Endpoint & { readonly prose: EndpointProse };

/** Makes an operation within a point system that is in the key's scope and its operator's own. */
export function operation<Fields extends z.ZodRawShape, Reply extends z.ZodType>(
  path: ManagePath,
  { handle, ...parts }: SystemOperation<Fields, Reply>,
): Operation {
  const { input, parse } = readInput(path, parts, true);
  const serve = endpoint(path, {
    scope: "point-system",
    input,
    failures: listFailures(path, parts),
    reply: parts.reply,
    isKeyFirst: parts.bytesMax !== undefined,
    parse: parse as (request: Request) => Promise<{ pointSystemId: string }>,
    async handle({ input: fields, key, origin }) {
      const owner = await getKeyOwner(await getKeyActor(key, origin), fields.pointSystemId);
      return { body: await handle(owner, fields as unknown as Fielded<Fields>) };
    },
  });
  return Object.assign(serve as unknown as Endpoint, { prose: makeProse(parts, true) });
}

/** Makes an operation that names no point system. */
export function accountOperation<Fields extends z.ZodRawShape, Reply extends z.ZodType>(
  path: ManagePath,
  { handle, ...parts }: AccountOperation<Fields, Reply>,
): Operation {
  const { input, parse } = readInput(path, parts, false);
  const serve = endpoint(path, {
    scope: "any",
    input,
    failures: listFailures(path, parts),
    reply: parts.reply,
    parse,
    async handle({ input: fields, key, origin }: AuthorizedCall<unknown>) {
      const actor = await getKeyActor(key, origin);
      return { body: await handle(actor, fields as Fielded<Fields>) };
    },
  });
  return Object.assign(serve as unknown as Endpoint, { prose: makeProse(parts, false) });
}

/** Makes the declared input of an operation, and the function that reads it. */
function readInput(
  path: ManagePath,
  { fields, bytesMax }: Pick<OperationParts<z.ZodRawShape, z.ZodType>, "fields" | "bytesMax">,
  isOfSystem: boolean,
): Pick<Shapes<unknown, z.ZodType>, "input" | "parse"> {
  if (API_ENDPOINTS[path].method === "GET") {
    const id = isOfSystem ? { pointSystemId: parameters.pointSystemId } : {};
    const failures = { invalid: "invalid_field" } as const;
    const input = { query: z.object({ ...id, ...fields }), failures };
    return { input, parse: (request) => parseQuery(input, request.url) };
  }
  const id = isOfSystem ? { pointSystemId: bodyFields.pointSystemId } : {};
  const body = z.object({ ...id, ...fields });
  return {
    input: { body },
    parse: async (request) => {
      const values = check(body, await readJsonBody(request, bytesMax));
      refuseUnstorable(values);
      return values;
    },
  };
}

/** Refuses text that the database cannot hold, which rules of single fields let through. */
function refuseUnstorable(values: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(values).find((field) => !isStorable(values[field]));
  if (name === undefined) return;
  const rule = "Leave out U+0000 and halves of surrogate pairs";
  throw new Failure("invalid_field", { name: `${name}: ${rule}` });
}

function isStorable(value: unknown): boolean {
  if (typeof value === "string") return isStorableText(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isStorable);
}

/** Lists the failures of an operation, with that of a body that does not fit. */
function listFailures(
  path: ManagePath,
  { failures, bytesMax }: Pick<OperationParts<z.ZodRawShape, z.ZodType>, "failures" | "bytesMax">,
): readonly ApiErrorCode[] {
  if (bytesMax !== undefined) return ["invalid_field", "too_many_uploads", ...failures];
  return API_ENDPOINTS[path].method === "GET" ? failures : ["invalid_field", ...failures];
}

/**
 * Reads values by a schema: that of an operation's own fields, or that of the form which has the
 * same rule.
 * @throws {Failure} `invalid_field` for the first value that does not fit
 */
export function check<Schema extends z.ZodType>(schema: Schema, values: unknown): z.output<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const [{ path, message } = { path: [], message: "" }] = result.error.issues;
  throw new Failure("invalid_field", { name: `${String(path[0] ?? "body")}: ${message}` });
}

/** Makes the words and examples of an operation. */
function makeProse(
  { name, notes = [], example }: OperationParts<z.ZodRawShape, z.ZodType>,
  isOfSystem: boolean,
): EndpointProse {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return {
    operationId: name,
    group: "Management",
    title,
    use: "Call it from a program that sets things up or keeps them in step, with the rules, effects and audit entry of the dashboard's form.",
    avoid:
      "Applications that credit and read points use keys of their own: one that manages reaches far more.",
    notes: [
      "The key has the permission manage. It reaches the point systems of its scope that its operator owns.",
      ...notes,
    ],
    request: (values) => ({
      ...(isOfSystem && { pointSystemId: values.pointSystemId }),
      ...(typeof example.request === "function" ? example.request(values) : example.request),
    }),
    answer: () => example.answer,
  };
}

/** Any text that the database can hold. */
export const plainText = z.string().regex(/^[^\0]*$/, "Leave the character NUL out");

/** A moment that the database can hold: it has no year 0. */
export const moment = z.iso.datetime().refine((text) => text >= "0001", "Name a year from 0001 on");

/** Makes the schema of a field that is null when it is left out. */
export const orNull = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.nullable().default(null).meta({ default: null, description });

/** The place from which a list continues. */
export const olderParameter = z
  .string()
  .optional()
  .describe("The next page: older of the answer before. Left out, the newest entries");

/** The place at which the next page begins, as answers name it. */
export const olderReply = z
  .string()
  .nullable()
  .describe("Send it as older for the next page; null at the end");

/**
 * Reads the place from which a list continues.
 * @throws {Failure} `invalid_field`
 */
export function readOlder(
  older: string | undefined,
  parseId: (text: string) => string | null,
): ReturnType<typeof parseCursor> {
  const cursor = older === undefined ? null : parseCursor(older, "older", parseId);
  if (older !== undefined && !cursor) {
    throw new Failure("invalid_field", { name: "older: Send older of an answer" });
  }
  return cursor;
}

/** The shape of the answer of an operation that only says that it was done. */
export const done = { success: z.literal(true).describe("It is done") };

/** The answer of such an operation. */
export const DONE = { success: true } as const;
