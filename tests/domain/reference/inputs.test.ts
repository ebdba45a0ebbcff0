import fc from "fast-check";
import { expect, test } from "vitest";
import { createOpenApiDocument, type Operation } from "../../../app/api/document/openapi";
import { PROSE } from "../../../app/api/document/prose";
import { API_ENDPOINTS, type EndpointPath } from "../../../app/api/endpoints";
import { Failure } from "../../../app/domain/failure";
import { EXAMPLE } from "../../../app/domain/reference/example";
import { describeFailure } from "../../../app/http/failures";
import { loadEndpoint } from "../../support/call";
import { atDepth } from "../../support/depth";
import { compileSchema } from "../../support/openapi";

const document = createOpenApiDocument();
const WALLET = `0x${"aB".repeat(20)}`;
const SYSTEM = "3f1c8a52-6d0b-4e57-9a41-2b7c5d9e8f10";

/** Texts that a parameter may or may not take. */
const texts = fc.oneof(
  fc.constantFrom(WALLET, WALLET.toUpperCase(), WALLET.slice(1), SYSTEM, SYSTEM.toUpperCase()),
  fc.constantFrom("0", "1", "007", "-1", "1.5", "1e3", " 1", "201", "9007199254740991"),
  fc.constantFrom("9007199254740992", "metadata", "true", "false", "TRUE", "alice.eth", "a b"),
  fc.nat().map(String),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const values = fc.oneof(
  texts as fc.Arbitrary<fc.JsonValue>,
  fc.constantFrom<fc.JsonValue[]>(null, 0, 1, 1.5, -1, 1_000_000_000, 1_000_000_001, "", true),
  fc.constantFrom<fc.JsonValue[]>(1.01, 1.1, 2.55, 1.011, 1.0100000000000002),
  fc.constantFrom<fc.JsonValue[]>("2026-01-02", { a: 1 }, { a: { b: 1 } }, [], "daily_login"),
  fc.jsonValue({ maxDepth: 1 }),
);

/** Inputs that are taken although the document does not offer them, by endpoint and field. */
const LENIENT: Record<string, readonly string[]> = {
  // Such an id is in no key's scope, and the key's failure says so (decision 003).
  pointSystemId: Object.keys(API_ENDPOINTS).filter((path) => path !== "rewards/claim-status"),
  // Such an id is no spend's, and the scope's failure comes first.
  spendId: ["spend/reverse"],
  // Only the literal text true forces a score.
  force: ["score"],
  // A trigger of fixed points passes over them; one of variable points refuses them.
  points: ["trigger"],
  // Each item is judged alone, with a verdict of its own.
  items: ["trigger/batch"],
};

/** Rules that the document has in words: a schema's multipleOf 0.01 refuses 1.1, in the arithmetic of many readers. */
const IN_WORDS: Record<string, (value: unknown) => boolean> = {
  factor: (value) => typeof value !== "number" || /^\d+(\.\d\d?)?$/.test(String(value)),
};

/** Reads a request as the endpoint does. Returns the failure's status, or 200. */
async function parse(path: EndpointPath, request: Request): Promise<number> {
  const { declaration } = (await loadEndpoint(path)).loader;
  try {
    await declaration.parse(request);
    return 200;
  } catch (error) {
    if (error instanceof Failure) return describeFailure(error).status;
    throw error;
  }
}

const operationOf = (path: EndpointPath) =>
  Object.values(document.paths[`/${path}`] ?? {})[0] as Operation;

/** Names the fields that do not fit, as far as the endpoint is to refuse them. */
function listRefused(
  path: string,
  validate: ReturnType<typeof compileSchema>,
  input: Readonly<Record<string, unknown>>,
): string[] {
  validate(input);
  return (validate.errors ?? [])
    .map(({ instancePath, params }) => String(params.missingProperty ?? instancePath.split("/")[1]))
    .concat(Object.keys(input).filter((name) => IN_WORDS[name]?.(input[name]) === false))
    .filter((name) => {
      const isText = typeof input[name] === "string" && input[name] !== "";
      const isId = (name !== "pointSystemId" && name !== "spendId") || isText;
      return !(LENIENT[name]?.includes(path) && name in input && isId);
    });
}

/**
 * Draws a value that is likely to be taken: three times of four, and more often among many fields, so
 * that enough inputs are taken as a whole.
 */
const mostly = <T>(likely: T, others: fc.Arbitrary<T>, fields: number) =>
  fc.oneof(
    { weight: Math.max(3, fields), arbitrary: fc.constant(likely) },
    { weight: 1, arbitrary: others },
  );

/** Draws records, half of them with all required fields. */
const drawRecord = <T>(fields: Record<string, fc.Arbitrary<T>>, required: readonly string[]) =>
  fc.oneof(
    fc.record(fields, { requiredKeys: required.filter((name) => name in fields) }),
    fc.record(fields, { requiredKeys: [] }),
  ) as fc.Arbitrary<Record<string, T>>;

const runs = { numRuns: atDepth(300, 2_500) };
const paths = Object.keys(API_ENDPOINTS) as EndpointPath[];
const queried = paths.filter((path) => !operationOf(path).requestBody);
const posted = paths.filter((path) => operationOf(path).requestBody);

test.each(queried)(
  "/%s takes the queries that the document offers, and refuses others",
  async (path) => {
    const { parameters } = operationOf(path);
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const names = Object.keys(properties);
    const validate = compileSchema(document, { type: "object", properties, required });
    let taken = 0;
    const included = properties.include as { const?: string; enum?: string[] } | undefined;
    const likely: Record<string, string> = {
      pointSystemId: SYSTEM,
      address: WALLET,
      around: WALLET,
      include: included?.const ?? included?.enum?.[0] ?? "",
      force: "true",
    };
    const query = drawRecord(
      Object.fromEntries(
        names.map((name) => [name, mostly(likely[name] ?? "1", texts, names.length)]),
      ),
      required,
    );
    await fc.assert(
      fc.asyncProperty(query, async (drawn) => {
        const given = drawn;
        const input = Object.fromEntries(
          Object.entries(given).map(([name, text]) => {
            const isNumber = (properties[name] as { type?: string }).type === "integer";
            return [name, isNumber && /^\d+$/.test(text) ? Number(text) : text];
          }),
        );
        const refused = listRefused(path, validate, input);
        const url = `http://test.local/${path}?${new URLSearchParams(given)}`;
        // An ENS name is found out by its resolver, and not by its form.
        const isName = path === "points" && given.address !== undefined;
        const status = await parse(path, new Request(url));
        if (status === 200) taken += 1;
        if (!isName || refused.length > 0) expect(status).toBe(refused.length > 0 ? 400 : 200);
      }),
      runs,
    );
    expect(taken).toBeGreaterThan(10);
  },
);

test.each(posted)(
  "/%s takes the bodies that the document offers, and refuses others",
  async (path) => {
    const schema = operationOf(path).requestBody?.content["application/json"].schema ?? {};
    const validate = compileSchema(document, schema);
    const likely: Record<string, fc.JsonValue> = {
      id: SYSTEM,
      ...(PROSE[path].request(EXAMPLE) as Record<string, fc.JsonValue>),
      pointSystemId: SYSTEM,
      walletAddress: WALLET,
      triggerKey: "daily_login",
      items: [{ triggerKey: "daily_login", walletAddress: WALLET }],
      points: 5,
      atomic: true,
    };
    const names = Object.keys(schema.properties ?? {});
    const body = drawRecord(
      Object.fromEntries(
        names.map((name) => [
          name,
          mostly<fc.JsonValue>(likely[name] ?? null, values, names.length),
        ]),
      ),
      schema.required ?? [],
    );
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const refused = listRefused(path, validate, given);
        const request = new Request(`http://test.local/${path}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(given),
        });
        const status = await parse(path, request);
        if (status === 200) taken += 1;
        // An item that is not well-formed has its verdict in the answer.
        const isList = Array.isArray(given.items) && given.items.length > 0;
        const isJudgedLater = path === "trigger/batch" && refused.every((name) => name === "items");
        if (isJudgedLater) expect(status).toBe(isList ? 200 : 400);
        else expect(status).toBe(refused.length > 0 ? 400 : 200);
      }),
      runs,
    );
    expect(taken).toBeGreaterThan(10);
  },
);

test.each([
  ["idempotencyKey", ["a", "order 1842", "~".repeat(255), null], ["", "~".repeat(256), "é", 5]],
  ["occurredAt", [new Date().toISOString(), null], ["yesterday", 5]],
  ["metadata", [{}, { a: 1, b: "x", c: null, d: false }, null], ["x", 5, [], { a: {} }]],
])("an item's %s is taken and refused as the document says", async (name, good, bad) => {
  const item = { triggerKey: "daily_login", walletAddress: WALLET };
  const { loader } = await loadEndpoint("trigger/batch");
  const validate = compileSchema(document, { $ref: "#/components/schemas/BatchItem" });
  for (const value of [...good, ...bad]) {
    const request = new Request("http://test.local/trigger/batch", {
      method: "POST",
      body: JSON.stringify({ pointSystemId: SYSTEM, items: [{ ...item, [name]: value }] }),
      headers: { "Content-Type": "application/json" },
    });
    const { items } = (await loader.declaration.parse(request)) as { items: unknown[] };
    const isTaken = !(items[0] instanceof Failure);
    expect([isTaken, validate({ ...item, [name]: value })], String(value)).toEqual([
      good.includes(value as never),
      good.includes(value as never),
    ]);
  }
});
