import { z } from "zod";

/** A JSON Schema, as far as the reference reads it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  pattern?: string;
  additionalProperties?: unknown;
  propertyNames?: unknown;
  $defs?: Record<string, JsonSchema>;
  $schema?: string;
}

/** The place of shared schemas in the OpenAPI document. */
const SCHEMAS = "#/components/schemas/";

/**
 * Makes the JSON Schema of a declared shape. Answers may gain fields within a version, so objects in
 * them stay open; the tests close them.
 * @param shared receives the shapes that have an id, by which the schema refers to them
 */
export function toJsonSchema(
  shape: z.ZodType,
  io: "input" | "output",
  shared: Record<string, JsonSchema>,
): JsonSchema {
  const made = z.toJSONSchema(shape, {
    io,
    override: ({ zodSchema, jsonSchema }) => simplify(zodSchema, jsonSchema as JsonSchema, io),
  }) as JsonSchema;
  const { $defs = {}, $schema, ...schema } = made;
  for (const [name, definition] of Object.entries($defs)) {
    shared[name] = refer(definition) as JsonSchema;
  }
  return refer(schema) as JsonSchema;
}

/** Leaves out what tells a reader nothing: formats' own patterns, and the bounds of all integers. */
function simplify(shape: unknown, schema: JsonSchema, io: "input" | "output"): void {
  const { default: fallback } = z.globalRegistry.get(shape as z.ZodType) ?? {};
  if (fallback !== undefined) schema.default = fallback;
  if (schema.format === "uuid" || schema.format === "date-time") delete schema.pattern;
  if (schema.format === "starts_with") delete schema.format;
  delete schema.propertyNames;
  if (io === "input") return;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.exclusiveMinimum === 0 && schema.type === "integer") {
    delete schema.exclusiveMinimum;
    schema.minimum = 1;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Points references at the document's shared schemas. */
function refer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(refer);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" ? String(inner).replace("#/$defs/", SCHEMAS) : refer(inner),
    ]),
  );
}

/** Follows a reference to a shared schema. A description beside the reference stays. */
export function resolve(
  schema: JsonSchema,
  shared: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { $ref, ...own } = schema;
  if ($ref === undefined) return schema;
  return { ...shared[$ref.slice(SCHEMAS.length)], ...own };
}
