import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createOpenApiDocument, type Operation } from "../../../app/api/document/openapi";
import { API_ENDPOINTS, type EndpointPath } from "../../../app/api/endpoints";
import { API_ERROR_CODES } from "../../../app/domain/reference/error-help";
import { findBreaks } from "../../support/compatibility";
import { compileSchema } from "../../support/openapi";

const released = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "openapi-1.0.0.json"), "utf8"),
);

const document = createOpenApiDocument();
const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
  Object.values(methods).map((operation) => ({ at, operation: operation as Operation })),
);

test("docs/openapi.json is the document that is served: `npx vitest run FILE -u` writes it", async () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../../docs/openapi.json");
});

test("the document has every endpoint with its method, and nothing else", () => {
  const described = Object.entries(document.paths).map(([at, methods]) => [
    at.slice(1),
    Object.keys(methods).join().toUpperCase(),
  ]);
  const declared = (Object.keys(API_ENDPOINTS) as EndpointPath[]).map((at) => [
    at,
    API_ENDPOINTS[at].method,
  ]);
  expect(described).toEqual(declared);
});

test("the document is a valid OpenAPI 3.1 document by Redocly's rules", async () => {
  const redocly = path.resolve("node_modules/.bin/redocly");
  const config = ["--config", "tests/support/redocly.yaml", "--format", "json"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const { stdout } = await promisify(execFile)(redocly, ["lint", "docs/openapi.json", ...config], {
    env,
  }).catch((error: { stdout: string }) => error);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});

test("a caller's own id, which the service repeats, is a request id of the document", () => {
  const validate = compileSchema(document, document.components.headers.RequestId.schema);
  expect(validate("order-1842")).toBe(true);
});

describe.each(operations)("$at", ({ operation }) => {
  test("the example of its answer is one, and so is that of its request", () => {
    for (const content of [operation.requestBody?.content, operation.responses["200"]?.content]) {
      if (!content) continue;
      const { schema, example } = content["application/json"];
      expect(example).toBeDefined();
      const validate = compileSchema(document, schema);
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  test("each required parameter has an example", () => {
    for (const { required, example } of operation.parameters) {
      if (required) expect(example).toBeDefined();
    }
  });

  test("every field of its answer and of its request is described", () => {
    const found: string[] = [];
    const walk = (schema: unknown, at: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { $ref, properties = {}, ...others } = schema as Record<string, never>;
      if ($ref) walk(document.components.schemas[String($ref).split("/").at(-1) ?? ""], at);
      for (const [name, field] of Object.entries(properties as Record<string, never>)) {
        const { description, const: fixed, $ref: shape } = field as Record<string, unknown>;
        if (!description && fixed === undefined && !shape) found.push(`${at}.${name}`);
        walk(field, `${at}.${name}`);
      }
      for (const [key, inner] of Object.entries(others)) if (key !== "example") walk(inner, at);
    };
    walk(operation.requestBody?.content, "body");
    walk(operation.responses["200"]?.content, "answer");
    expect(found).toEqual([]);
  });
});

test("every error with a page is answered by an endpoint, or refuses calls before them", () => {
  const text = JSON.stringify(document);
  for (const code of API_ERROR_CODES) expect(text, code).toContain(`\`${code}\``);
});

test("nothing of the last release's document is gone or narrower", () => {
  expect(findBreaks(released, document)).toEqual([]);
});
