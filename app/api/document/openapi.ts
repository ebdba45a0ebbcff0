import { EXAMPLE } from "../../domain/reference/example";
import { API_ENDPOINTS, API_PREFIXES, type EndpointPath } from "../endpoints";
import type { DeclaredInput } from "../input";
import { DECLARATIONS } from "./declarations";
import { describeError, type EndpointError, listEndpointErrors, REFUSALS } from "./errors";
import { PROSE } from "./prose";
import { GROUPS } from "./prose-form";
import { type JsonSchema, toJsonSchema } from "./schema";

/** The version of the HTTP interface: docs/compatibility.md says when it changes. */
const VERSION = "1.0.0";

/** A parameter of an operation: one of the query, or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "header";
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Content {
  readonly "application/json": { readonly schema: JsonSchema; readonly example?: unknown };
}

interface ResponseObject {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
  readonly $ref?: string;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Record<string, ResponseObject>;
}

type Answers = { readonly Refused: ResponseObject } & Readonly<Record<string, ResponseObject>>;

export type OpenApiDocument = ReturnType<typeof createOpenApiDocument>;

/** The errors of requests that HTTP refuses: every path has them. */
const GENERAL = ["invalid_request", "malformed_request"] as const;

const REQUEST_ID = { $ref: "#/components/headers/RequestId" };
const ERROR_HEADERS = { "X-Request-Id": REQUEST_ID, Link: { $ref: "#/components/headers/Help" } };
const RETRY_HEADERS = {
  ...ERROR_HEADERS,
  "Retry-After": { $ref: "#/components/headers/RetryAfter" },
};

const LIMIT_HEADERS = {
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
};

/** Builds the OpenAPI document from the endpoints' declarations. */
export function createOpenApiDocument() {
  const shared: Record<string, JsonSchema> = {};
  const paths: Record<string, Partial<Record<"get" | "post", Operation>>> = {};
  for (const path of Object.keys(API_ENDPOINTS) as EndpointPath[]) {
    const method = API_ENDPOINTS[path].method === "GET" ? "get" : "post";
    paths[`/${path}`] = { [method]: describeOperation(path, shared) };
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return {
    openapi: "3.1.0",
    info: {
      title: "Points and Rewards",
      version: VERSION,
      description:
        "Points for wallets: triggers over HTTP, exact leaderboards, rewards claimed on chain. Fields, codes and endpoints are only added within a version; clients ignore what they do not know. HEAD answers like GET. Of a name that an object of a request repeats, the last value counts.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: API_PREFIXES.map((prefix) => ({ url: prefix.replace(/(.)\/$/, "$1") })),
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key from the dashboard: rw_ and 32 hexadecimal characters",
        },
      },
      headers: {
        RequestId: {
          description:
            "The id of the request, which the log of the service has too: the caller's own, or a new UUID",
          schema: { type: "string" },
        },
        Help: {
          description: "The page of the error, as a relative reference with rel=help",
          schema: { type: "string" },
        },
        RateLimit: {
          description:
            "The limit's name, the calls that are left within it (r), and the seconds until there is room for one more (t). Absent from answers of calls that were not counted",
          schema: { type: "string" },
          example: '"trigger";r=9;t=60',
        },
        RateLimitPolicy: {
          description: "The limit: its calls (q) in any span of so many seconds (w)",
          schema: { type: "string" },
          example: '"trigger";q=10;w=60',
        },
        RetryAfter: {
          description: "Whole seconds after which the call can succeed",
          schema: { type: "integer", minimum: 1 },
        },
      },
      responses: { Refused: describeRefusals(), ...shareAnswers(operations) } as Answers,
      schemas: sortByName(shared),
    },
  };
}

function sortByName<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function describeOperation(path: EndpointPath, shared: Record<string, JsonSchema>): Operation {
  const { permission, summary } = API_ENDPOINTS[path];
  const { operationId, group, use, avoid, notes, ...prose } = PROSE[path];
  const { input, reply } = DECLARATIONS[path];
  const isLimited = permission === null || path === "trigger";
  const example = prose.request(EXAMPLE);
  return {
    operationId,
    summary,
    description: [use, avoid, notes.map((note) => `- ${note}`).join("\n")].join("\n\n"),
    tags: [group],
    security: permission === null ? [] : [{ apiKey: [] }],
    parameters: listParameters(input, { ...example, ...prose.headers }, shared),
    ...("body" in input && {
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: toJsonSchema(input.body, "input", shared), example },
        },
      },
    }),
    responses: {
      "200": {
        description: "Success",
        headers: {
          "X-Request-Id": REQUEST_ID,
          ...(isLimited && LIMIT_HEADERS),
          ...("body" in input &&
            input.headers && {
              "Idempotent-Replayed": {
                description: "There when the call repeats an earlier one and credited nothing",
                schema: { type: "string", const: "true" },
              },
            }),
        },
        content: {
          "application/json": {
            schema: toJsonSchema(reply, "output", shared),
            example: prose.answer(EXAMPLE),
          },
        },
      },
      ...describeErrors(listEndpointErrors(path), isLimited),
      default: { $ref: "#/components/responses/Refused" },
    },
  };
}

function listParameters(
  input: DeclaredInput,
  examples: Readonly<Record<string, unknown>>,
  shared: Record<string, JsonSchema>,
): Parameter[] {
  const [place, shape] =
    "body" in input ? (["header", input.headers] as const) : (["query", input.query] as const);
  if (!shape) return [];
  const { properties = {}, required = [] } = toJsonSchema(shape, "input", shared);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema,
    ...(name in examples && { example: examples[name] }),
  }));
}

/** Describes errors by status. A schema names the codes that the status can have. */
function describeErrors(
  errors: readonly EndpointError[],
  isLimited: boolean,
): Record<string, ResponseObject> {
  const general = GENERAL.map((code) => ({ ...describeError(code), code, hasItem: false }));
  const all = [...errors, ...general].toSorted((a, b) => a.status - b.status);
  const statuses = [...new Set(all.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      describeStatus(
        all.filter((error) => error.status === status),
        isLimited && status === 429,
      ),
    ]),
  );
}

/** Takes the answers that several operations have out of these, which refer to them from then on. */
function shareAnswers(operations: readonly Operation[]): Record<string, ResponseObject> {
  const texts = operations.flatMap(({ responses }) => Object.values(responses).map(toText));
  const shared: Record<string, ResponseObject> = {};
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const text = toText(response);
      if (response.$ref || texts.indexOf(text) === texts.lastIndexOf(text)) continue;
      const name = nameAnswer(response);
      if (shared[name] && toText(shared[name]) !== text) throw new Error(`Two answers are ${name}`);
      shared[name] = response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return sortByName(shared);
}

const toText = (response: ResponseObject) => JSON.stringify(response);

/** Names the answer of errors by their codes, and by the limit that it tells. */
function nameAnswer({ content, headers = {} }: ResponseObject): string {
  const codes = (content?.["application/json"].schema.properties?.code?.enum ?? []).map(String);
  const own = codes.filter((code) => !GENERAL.some((each) => each === code));
  const words = own.map((code) => code.replace(/(?:^|_)(.)/g, (_, first) => first.toUpperCase()));
  return `${words.join("Or") || "InvalidRequest"}${"RateLimit" in headers ? "WithLimit" : ""}`;
}

function describeStatus(errors: readonly EndpointError[], isLimited = false): ResponseObject {
  const hasItem = errors.some((error) => error.hasItem);
  const isTemporary = errors.some(({ status }) => status === 429 || status === 503);
  return {
    description: errors.map(({ code, message }) => `\`${code}\`: ${message}`).join("\n\n"),
    headers: {
      ...(isTemporary ? RETRY_HEADERS : ERROR_HEADERS),
      ...(isLimited && LIMIT_HEADERS),
    },
    content: {
      "application/json": {
        schema: describeBody(
          errors.map(({ code }) => code),
          hasItem,
        ),
      },
    },
  };
}

function describeRefusals(): ResponseObject {
  const errors = REFUSALS.map((code) => ({ code, ...describeError(code), hasItem: false }));
  const { description, ...response } = describeStatus(errors);
  return {
    description: `The call was refused before its endpoint.\n\n${description}`,
    ...response,
  };
}

/** Makes the schema of an error's body: one of these codes, and the place of an item if there is one. */
function describeBody(codes: readonly string[], hasItem: boolean): JsonSchema {
  return {
    type: "object",
    properties: {
      error: { type: "string", description: "The message" },
      message: { type: "string", description: "The same message" },
      code: { type: "string", enum: [...codes], description: "The error's stable code" },
      ...(hasItem && {
        item: { type: "integer", minimum: 0, description: "The place of the refused item" },
      }),
    },
    required: ["error", "message", "code", ...(hasItem ? ["item"] : [])],
  };
}
