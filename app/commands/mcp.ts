import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { readOptions, refuseCall } from "./options";

// npm run --silent mcp [-- --url URL] [--allow-writes]: serves the HTTP interface to a program that speaks the Model
// Context Protocol over standard input and output. The tools are read from the service's own OpenAPI document, so
// they are what that service can do. Without --allow-writes there are only those that read, and without
// POINTS_API_KEY only those that need no key. The exit status is 2 for a wrong call.

type JsonSchema = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "query" | "header";
    readonly required: boolean;
    readonly description?: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": {
        readonly schema: { readonly properties?: JsonSchema; readonly required?: string[] };
      };
    };
  };
}

interface OpenApi {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, JsonSchema>> };
}

interface Settings {
  readonly origin: string;
  readonly key: string | null;
  readonly allowsWrites: boolean;
}

/** The call that a tool makes. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

interface ToolAnswer {
  readonly texts: readonly string[];
  readonly isError: boolean;
}

const USAGE = "POINTS_API_KEY=rw_… npm run --silent mcp [-- --url URL] [--allow-writes]";

/** The longest that a call may take. */
const CALL_MS_MAX = 30_000;

const MAYBE_DONE = "It may have been carried out.";

const DRY_RUN = {
  type: "boolean",
  default: true,
  description:
    "True answers with the request that would be sent, and sends nothing. Send false to do it",
};

/** Reads the command's options and environment. */
function readSettings(): Settings {
  const { values } = readOptions(USAGE, {
    url: { type: "string" },
    "allow-writes": { type: "boolean" },
  });
  const address = values.url ?? process.env.POINTS_URL ?? "http://localhost:3000";
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    refuseCall("The service's address is no http or https URL without a password", USAGE);
  }
  return {
    origin: url.origin,
    key: process.env.POINTS_API_KEY || null,
    allowsWrites: values["allow-writes"] ?? false,
  };
}

/** Reads the service's description of itself. */
async function readDocument({ origin }: Settings): Promise<OpenApi> {
  try {
    const response = await fetch(`${origin}/openapi.json`, {
      redirect: "error",
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    return (await response.json()) as OpenApi;
  } catch (error) {
    refuseCall(`No service describes itself at ${origin}/openapi.json: ${getReason(error)}`, USAGE);
  }
}

function getReason(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

/** Replaces references to shared schemas by these schemas: a tool's input stands alone. Objects take no unknown fields. */
function inline(schema: unknown, shared: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inline(item, shared));
  if (schema === null || typeof schema !== "object") return schema;
  if ("$ref" in schema && typeof schema.$ref === "string") {
    return inline(shared[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)], shared);
  }
  const isObject = "properties" in schema && "type" in schema && schema.type === "object";
  return Object.fromEntries(
    Object.entries({ ...(isObject && { additionalProperties: false }), ...schema }).map(
      ([key, value]) => [key, inline(value, shared)],
    ),
  );
}

/** Makes the schema of a tool's input: the parameters and the fields of the body, side by side. */
function describeInput({ method, operation }: Call, { components }: OpenApi): JsonSchema {
  const { parameters, requestBody } = operation;
  const body = requestBody?.content["application/json"].schema ?? {};
  const schema = {
    type: "object",
    properties: {
      ...Object.fromEntries(
        parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
      ),
      ...body.properties,
      ...(method === "post" && { dryRun: DRY_RUN }),
    },
    required: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...(body.required ?? []),
    ],
    additionalProperties: false,
  };
  return inline(schema, components.schemas ?? {}) as JsonSchema;
}

/** Makes the request of a call. */
function makeRequest(
  { origin }: Settings,
  { method, path, operation }: Call,
  input: Readonly<Record<string, unknown>>,
) {
  const url = new URL(path, origin);
  const body = { ...input };
  const headers: Record<string, string> = {};
  for (const { name, in: place } of operation.parameters) {
    const value = body[name];
    delete body[name];
    if (value === undefined) continue;
    if (place === "header") headers[name] = String(value);
    else url.searchParams.set(name, String(value));
  }
  if (method !== "post") return { method: "GET", url: url.href, headers };
  headers["Content-Type"] = "application/json";
  return { method: "POST", url: url.href, headers, body };
}

/** The statuses of writes that may have been carried out, and the codes by which the service says that one was not. */
const OPEN_STATUSES = new Set([408, 502, 503, 504]);
const NOT_DONE = /"code":"(not_credited|service_unavailable)"/;

/** Sends a request and tells its answer. */
async function send(
  { key }: Settings,
  { method, url, headers, body }: ReturnType<typeof makeRequest>,
): Promise<ToolAnswer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(key !== null && { Authorization: `Bearer ${key}` }) },
    body: body === undefined ? null : JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(CALL_MS_MAX),
  });
  const text = await response.text();
  const told = ["Idempotent-Replayed", "Retry-After"].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  if (response.ok) return { texts: [text, ...told], isError: false };
  const isOpen = method === "POST" && OPEN_STATUSES.has(response.status) && !NOT_DONE.test(text);
  const help = /<([^<>]*)>; *rel="?help/.exec(response.headers.get("Link") ?? "")?.[1];
  const lines = [
    isOpen
      ? `The service failed with ${response.status}: ${text}\n${MAYBE_DONE}`
      : `The service refused the call with ${response.status}: ${text}`,
    ...told,
    `Request id: ${response.headers.get("X-Request-Id")}`,
    ...(help === undefined ? [] : [`Cause and remedy: ${new URL(help, url)}`]),
  ];
  return { texts: [lines.join("\n")], isError: true };
}

/** Does what a tool is for. */
async function answer(
  settings: Settings,
  call: Call,
  { dryRun = true, ...input }: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  const request = makeRequest(settings, call, input);
  if (call.method === "post" && dryRun) {
    return {
      texts: [`Nothing was sent. It would be:\n${JSON.stringify(request)}`],
      isError: false,
    };
  }
  try {
    return await send(settings, request);
  } catch (error) {
    const remedy = call.method === "post" ? ` ${MAYBE_DONE}` : "";
    return { texts: [`The service did not answer: ${getReason(error)}.${remedy}`], isError: true };
  }
}

/** Makes a server with a tool for each endpoint that the settings allow. */
function createServer(settings: Settings, document: OpenApi): McpServer {
  const server = new McpServer({ name: "points-and-rewards", version: document.info.version });
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const isRead = method !== "post";
      if (!isRead && !settings.allowsWrites) continue;
      if (settings.key === null && operation.security.length > 0) continue;
      const call = { method, path, operation };
      const { operationId, summary, description } = operation;
      server.registerTool(
        operationId,
        {
          title: summary,
          description: `${summary}.\n\n${description}`,
          inputSchema: fromJsonSchema<Record<string, unknown>>(describeInput(call, document)),
          annotations: { readOnlyHint: isRead, destructiveHint: !isRead, openWorldHint: false },
        },
        async (input) => {
          const { texts, isError } = await answer(settings, call, input);
          return { content: texts.map((text) => ({ type: "text" as const, text })), isError };
        },
      );
    }
  }
  return server;
}

const settings = readSettings();
const document = await readDocument(settings);
serveStdio(() => createServer(settings, document));
