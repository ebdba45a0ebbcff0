import { Ajv2020, type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";

interface Answer {
  readonly $ref?: string;
  readonly content?: { readonly "application/json": { readonly schema: object } };
}

interface Document {
  readonly components: {
    readonly schemas: object;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

/** Finds the schema of an answer, which the document may hold among the shared ones. */
export function schemaOfAnswer({ components }: Document, answer: Answer | undefined): object {
  const own = answer?.$ref
    ? components.responses[answer.$ref.replace("#/components/responses/", "")]
    : answer;
  const schema = own?.content?.["application/json"].schema;
  if (!schema) throw new Error(`The document lacks the schema of ${JSON.stringify(answer)}`);
  return schema;
}

/** Makes a validator of a schema that may refer to the document's shared ones. */
export function compileSchema(document: Document, schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  // biome-ignore lint/suspicious/noExplicitAny: its types lack the default of its ES module
  (addFormats as any).default?.(ajv) ?? (addFormats as any)(ajv);
  return ajv.compile(closeObjects({ ...schema, components: document.components }));
}

/**
 * Copies a part of a document with every object that lists its fields closed: an answer with a field
 * that the document lacks does not fit. In the document itself they are open, since a later version
 * may add fields.
 */
function closeObjects<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closeObjects) as Value;
  if (typeof value !== "object" || value === null) return value;
  const closed: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) closed[key] = closeObjects(inner);
  if (closed.type === "object" && closed.properties) closed.additionalProperties = false;
  return closed as Value;
}
