import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import type { OpenApiDocument, Operation } from "../../app/api/document/openapi";

const HEADER =
  "// Made from docs/openapi.json. `npx vitest run tests/domain/sdk/types.test.ts -u` writes it.\n\n";

/** Parts of a schema that are no types. They would be half of the package; the reference has them. */
const LEFT_OUT = new Set(["example", "format", "description", "default"]);

/**
 * Writes the SDK's types from the OpenAPI document: of each operation its query or body, and its answer,
 * named by its operation id; and the codes of their errors.
 */
export async function writeSdkTypes(document: OpenApiDocument): Promise<string> {
  const schemas: Record<string, unknown> = { ...document.components.schemas };
  const codes = new Set<string>();
  for (const operation of Object.values(document.paths).flatMap((at) => Object.values(at))) {
    const { operationId, parameters, requestBody, responses, tags } = operation as Operation;
    if (tags.includes("Management")) continue;
    for (const answer of Object.values(responses)) {
      for (const code of listCodes(resolve(document, answer))) codes.add(code);
    }
    const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
    const query = parameters.filter((parameter) => parameter.in === "query");
    if (requestBody) schemas[`${name}Body`] = requestBody.content["application/json"].schema;
    else schemas[`${name}Query`] = toObjectSchema(query);
    schemas[`${name}Answer`] = responses["200"]?.content?.["application/json"].schema;
  }
  for (const code of listCodes(document.components.responses.Refused)) codes.add(code);
  schemas.ErrorCode = { type: "string", enum: [...codes].toSorted() };

  const reduced = { openapi: "3.1.0", info: document.info, paths: {}, components: { schemas } };
  const plain = JSON.parse(
    JSON.stringify(reduced, (key, value) =>
      LEFT_OUT.has(key) && typeof value !== "object" ? undefined : value,
    ),
  ) as OpenAPI3;
  // A field with a default may be left out of a request.
  const nodes = await openapiTypes(plain, { defaultNonNullable: false });
  const named = nodes.filter((node) => "name" in node && isNamed(node.name, "components"));
  return HEADER + astToString(named).replace(/^ *\/\*\* @constant \*\/\n/gm, "");
}

function isNamed(name: unknown, wanted: string): boolean {
  return typeof name === "object" && name !== null && "text" in name && name.text === wanted;
}

function toObjectSchema(parameters: Operation["parameters"]) {
  return {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Finds an answer that operations share. */
function resolve({ components }: OpenApiDocument, answer: object): unknown {
  if (!("$ref" in answer)) return answer;
  const name = String(answer.$ref).replace("#/components/responses/", "");
  return components.responses[name as keyof typeof components.responses];
}

/** Lists the codes that answers can have. */
function listCodes(responses: unknown): string[] {
  const codes: string[] = [];
  JSON.stringify(responses, (key, value) => {
    if (key === "code" && Array.isArray(value?.enum)) codes.push(...value.enum);
    return value;
  });
  return codes;
}
