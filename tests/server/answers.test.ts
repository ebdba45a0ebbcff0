import fs from "node:fs/promises";
import net from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeError, REFUSALS } from "../../app/api/document/errors";
import { createOpenApiDocument } from "../../app/api/document/openapi";
import { PROSE } from "../../app/api/document/prose";
import { type EndpointPath, isManagePath, listApiMounts } from "../../app/api/endpoints";
import { EXAMPLE } from "../../app/domain/reference/example";
import { joinSlashes } from "../../app/server/malformed";
import { createIp } from "../support/call";
import { atDepth } from "../support/depth";
import { compileSchema, schemaOfAnswer } from "../support/openapi";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
} from "../support/server-process";

const { pointSystemId, token, wallet } = SMALL_FIXTURE;
const MOUNTS = listApiMounts();
const ENDPOINTS = new Map(MOUNTS.map(({ path, endpoint }) => [path, endpoint]));
const MANAGE_TOKEN = "rw_00000000000000000000000000000002";
const AT_ONCE = 50;
const ANSWER_MS_MAX = 20_000;

let server: ServerProcess;
let dataDir: string;
beforeAll(async () => {
  dataDir = await createDataDir();
  // No call leaves this machine: scores are unavailable, and names are not looked up.
  const env = { TRUSTED_PROXIES: "127.0.0.1", SCORE_SERVICE_URL: "http://127.0.0.1:1" };
  server = await startServerProcess({ dataDir, env });
  const { apiKeys, ...file } = SMALL_FIXTURE.file;
  const manage = { ...apiKeys[0], name: "manage", key: MANAGE_TOKEN, permission: "manage" };
  await seed(dataDir, { ...file, apiKeys: [...apiKeys, manage] });
});
afterAll(async () => {
  await server.end("SIGTERM");
  await fs.rm(dataDir, { recursive: true, force: true });
});

interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** Lines, without their ends. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** How the body's length is said. */
  readonly framing: "length" | "chunked" | "short" | "broken chunks";
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
const weird = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("", "0", "-1", "1e9", "null", "true", "%", "%00", "\0", "‮", "9".repeat(400)),
);
const address = fc.oneof(
  fc.constant<string>(wallet),
  fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => `0x${Buffer.from(b).toString("hex")}`),
  fc.constantFrom("alice.eth", "0x12", "x".repeat(300)),
);
const parameter = fc.oneof(
  fc.tuple(fc.constant("pointSystemId"), fc.oneof(fc.constant<string>(pointSystemId), weird)),
  fc.tuple(fc.constantFrom("address", "around"), fc.oneof(address, weird)),
  fc.tuple(fc.constantFrom("page", "limit"), fc.oneof(fc.nat().map(String), weird)),
  fc.tuple(fc.constantFrom("onchainId", "chainId"), fc.oneof(fc.nat().map(String), weird)),
  fc.tuple(fc.constantFrom("include", "force"), fc.constantFrom("metadata", "true", "x", "")),
  fc.tuple(weird, weird),
);
/** Writes text into a query, escaped, or as it is where HTTP allows it. */
const toQueryText = (text: string, isRaw: boolean) =>
  isRaw
    ? text.replace(/[^!-"$-~]/g, "~")
    : encodeURIComponent(text.replace(/\p{Surrogate}/gu, "~"));
const query = fc
  .array(fc.tuple(parameter, fc.boolean()), { maxLength: 6 })
  .map((parameters) =>
    parameters.map(
      ([[name, value], isRaw]) => `${toQueryText(name, isRaw)}=${toQueryText(value, isRaw)}`,
    ),
  )
  .map((parts) => parts.join("&"))
  // Remix's own parameter, see tests/server/http.test.ts.
  .filter((text) => !/(^|&)_data=/.test(text));
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...MOUNTS.map((mount) => mount.path)) },
  { weight: 1, arbitrary: fc.constantFrom(...MOUNTS.map((mount) => `${mount.path}/`)) },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.oneof(
          fc.constantFrom(
            "sdk",
            "wallet",
            "WALLET",
            "%77allet",
            "",
            ".",
            "..",
            "%2e%2e",
            "%zz",
            "%0d",
          ),
          fc.string({ maxLength: 8 }).map((text) => toQueryText(text, true).replace("?", "")),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((segments) => `/api/${segments.join("/")}`)
      // Such a path leads out of the prefix. Doubled slashes count as one.
      .filter((text) => new URL(joinSlashes(text), "http://x").pathname.startsWith("/api/")),
  },
);
const key = fc.oneof(
  { weight: 6, arbitrary: fc.constant(`Bearer ${token}`) },
  { weight: 4, arbitrary: fc.constant(`Bearer ${MANAGE_TOKEN}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "Bearer", "Basic eDp5", "Bearer rw_1", "bearer\trw_"),
  },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) =>
      Buffer.from(bytes.map((byte) => (byte < 32 ? byte + 32 : byte)))
        .toString("latin1")
        .replaceAll("\x7f", ""),
    ),
  },
);
const fields = fc.record(
  {
    triggerKey: fc.oneof(fc.constant<fc.JsonValue>("daily_login"), fc.jsonValue({ maxDepth: 1 })),
    walletAddress: fc.oneof(address as fc.Arbitrary<fc.JsonValue>, fc.jsonValue({ maxDepth: 1 })),
    pointSystemId: fc.oneof(
      fc.constant<fc.JsonValue>(pointSystemId),
      fc.jsonValue({ maxDepth: 1 }),
    ),
    points: fc.jsonValue({ maxDepth: 1 }),
    items: fc.jsonValue(),
    atomic: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);
/** The documented inputs of the management API, each field perhaps replaced. */
const managed = fc
  .tuple(
    fc.constantFrom(
      ...MOUNTS.filter(({ endpoint }) => isManagePath(endpoint)).map(({ endpoint }) =>
        PROSE[endpoint].request({ ...EXAMPLE, pointSystemId }),
      ),
    ),
    fc.dictionary(fc.constantFrom("key", "name", "points", "id"), fc.jsonValue({ maxDepth: 1 })),
  )
  .map(([input, replaced]) => ({ ...input, ...replaced }));
const body = fc.oneof(
  { weight: 3, arbitrary: fc.constant(new Uint8Array()) },
  { weight: 6, arbitrary: fields.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 3, arbitrary: managed.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 1, arbitrary: fields.map((value) => gzipSync(JSON.stringify(value))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(16_384, 16_385, 70_000).map((n) => Buffer.alloc(n, "1")),
  },
);
const headers = fc
  .tuple(
    fc.option(key),
    fc.option(
      fc.constantFrom(
        "application/json",
        "application/json; charset=utf-8",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "APPLICATION/JSON",
        ";",
      ),
    ),
    fc.option(fc.constantFrom("gzip", "identity", "br", "x, y"), { freq: 6 }),
    fc.option(fc.constantFrom("abc", "x".repeat(256), '"quoted"', "é"), { freq: 4 }),
    fc.option(
      fc.constantFrom(
        "Expect: 100-continue",
        "Expect: wonders",
        "Origin: https://dapp.example",
        "Access-Control-Request-Method: GET",
        "Cookie: session=x; y",
        "Range: bytes=0-1",
        "If-None-Match: *",
        "Upgrade: h2c",
        "X-Forwarded-For: nonsense",
        "Bad Header: x",
        "NoColon",
        ": empty",
        "Content-Length: 5",
        `X-Long: ${"a".repeat(20_000)}`,
      ),
      { freq: 4 },
    ),
  )
  .map(([authorization, type, encoding, idempotencyKey, other]) =>
    [
      authorization !== null && `Authorization: ${authorization}`,
      type !== null && `Content-Type: ${type}`,
      encoding !== null && `Content-Encoding: ${encoding}`,
      idempotencyKey !== null && `Idempotency-Key: ${idempotencyKey}`,
      other,
    ].filter((line) => typeof line === "string"),
  );
const anyRequest: fc.Arbitrary<RawRequest> = fc
  .record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("GET", "POST") },
      { weight: 2, arbitrary: fc.constantFrom(...METHODS, "get", "FOO", "") },
    ),
    path,
    query: fc.option(query),
    headers,
    body,
    framing: fc.constantFrom<RawRequest["framing"][]>(
      "length",
      "length",
      "chunked",
      "short",
      "broken chunks",
    ),
  })
  .map(({ path: at, query: text, ...request }) => ({
    ...request,
    target: text === null ? at : `${at}?${text}`,
  }));

/** Writes a request as it goes over the wire. Each is from a network of its own. */
function write({ method, target, headers: lines, body: bytes, framing }: RawRequest): Buffer {
  const length = framing === "short" ? Math.floor(bytes.length / 2) : bytes.length;
  const isChunked = framing.endsWith("chunked") || framing === "broken chunks";
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    `X-Forwarded-For: ${createIp()}`,
    // A body that never comes is waited for, see tests/server/http.test.ts.
    ...lines.filter((line) => bytes.length > 0 || !line.startsWith("Content-Length")),
    ...(bytes.length === 0
      ? []
      : isChunked
        ? ["Transfer-Encoding: chunked"]
        : [`Content-Length: ${length}`]),
  ];
  const start = Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1");
  if (bytes.length === 0) return start;
  if (!isChunked) return Buffer.concat([start, bytes]);
  const size = framing === "broken chunks" ? "zz" : bytes.length.toString(16);
  return Buffer.concat([start, Buffer.from(`${size}\r\n`), bytes, Buffer.from("\r\n0\r\n\r\n")]);
}

/** Sends bytes over a connection of their own, and reads the first answer, past any 100. */
async function exchange(bytes: Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(server.url);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy(new Error("No answer in time")));
    socket.on("data", (chunk) => chunks.push(chunk));
    // A connection that is cut while the rest of a refused body is sent has its answer already.
    socket.on("error", (error) => (chunks.length > 0 ? resolve() : reject(error)));
    socket.on("close", () => resolve());
  });
  const all = Buffer.concat(chunks)
    .toString("latin1")
    .replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const [, status, lines = "", rest = ""] =
    /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s.exec(all) ?? [];
  if (status === undefined) throw new Error(`This is no answer: ${JSON.stringify(all)}`);
  const found = new Headers();
  for (const line of lines.split("\r\n")) {
    const colon = line.indexOf(":");
    found.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const text = found.get("transfer-encoding") === "chunked" ? joinChunks(rest) : rest;
  const length = found.get("content-length");
  return {
    status: Number(status),
    headers: found,
    text: Buffer.from(length === null ? text : text.slice(0, Number(length)), "latin1").toString(),
  };
}

function joinChunks(text: string): string {
  let joined = "";
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf("\r\n", at);
    const length = Number.parseInt(text.slice(at, lineEnd), 16);
    if (!(length > 0)) break;
    joined += text.slice(lineEnd + 2, lineEnd + 2 + length);
    at = lineEnd + 4 + length;
  }
  return joined;
}

const DOCUMENT = createOpenApiDocument();

/** The validators of an endpoint's answers by status, as the OpenAPI document has them. */
const validators = new Map<string, ReturnType<typeof compileSchema>>();
function findValidator(endpoint: EndpointPath | undefined, status: number) {
  const methods = endpoint && Object.values(DOCUMENT.paths[`/${endpoint}`] ?? {});
  const answers = methods?.[0]?.responses ?? {};
  const isListed = String(status) in answers;
  const key = isListed ? `${endpoint} ${status}` : "refused";
  let validate = validators.get(key);
  if (!validate) {
    const answer = isListed ? answers[status] : DOCUMENT.components.responses.Refused;
    validate = compileSchema(DOCUMENT, schemaOfAnswer(DOCUMENT, answer));
    validators.set(key, validate);
  }
  return validate;
}

/** The statuses of the document, for answers without a body. */
const STATUSES = new Set([
  ...Object.values(DOCUMENT.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.keys(responses).map(Number)),
  ...REFUSALS.map((code) => describeError(code).status),
]);

/** Finds the endpoint of a target as the router does, which takes an encoded or upper-case letter for itself. */
function findEndpoint(target: string): EndpointPath | undefined {
  try {
    const { pathname } = new URL(`http://localhost${joinSlashes(target)}`);
    const path = decodeURIComponent(pathname).toLowerCase().replace(/\/+/g, "/");
    return ENDPOINTS.get(path.replace(/(.)\/$/, "$1"));
  } catch {
    return undefined; // A target that is no URL, or does not decode.
  }
}

/** Checks one answer against the OpenAPI document. */
function expectDocumented(request: RawRequest, { status, headers: found, text }: RawAnswer): void {
  if (request.method === "HEAD" && text === "") {
    expect([...STATUSES]).toContain(status);
    return;
  }
  if (request.method === "OPTIONS" && status === 204) {
    expect(text).toBe("");
    return;
  }
  expect(found.get("content-type")).toMatch(/^application\/json/);
  const value = JSON.parse(text);
  // The router takes some spellings of a path for it, and others not: a 404 tells.
  const isElsewhere =
    value.code === "not_found" && !ENDPOINTS.has(request.target.split("?")[0] ?? "");
  const endpoint = isElsewhere ? undefined : findEndpoint(request.target);
  const validate = findValidator(endpoint, status);
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  if (status === 200) return;
  expect(value.message).toBe(value.error);
  if (value.item === undefined) expect(status).toBe(describeError(value.code).status);
  expect(found.get("link")).toBe(`</docs/errors/${value.code}>; rel="help"`);
}

test("whatever is sent to the API's paths is answered with a documented success or a documented error", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRequest, { minLength: 1, maxLength: AT_ONCE, size: "max" }),
      async (requests) => {
        await Promise.all(
          requests.map(async (request) => {
            const answer = await exchange(write(request));
            const shown = `${JSON.stringify(write(request).toString("latin1").slice(0, 600))} was answered ${answer.status} ${answer.text.slice(0, 300)}`;
            try {
              expectDocumented(request, answer);
            } catch (error) {
              throw new Error(`${shown}: ${(error as Error).message}`, { cause: error });
            }
          }),
        );
      },
    ),
    // An array has half of the most requests on average.
    {
      numRuns: (2 * atDepth(1_000, 100_000)) / AT_ONCE,
      interruptAfterTimeLimit: 600_000,
      includeErrorInReport: true,
    },
  );
  expect(server.logLines().filter(({ msg }) => msg === "unexpected error")).toEqual([]);
}, 700_000);
