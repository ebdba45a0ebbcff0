import type { Field, Form } from "../../domain/reference/field";
import { type JsonSchema, resolve } from "./schema";

type Shared = Readonly<Record<string, JsonSchema>>;

/** Lists the fields of an object schema; `forms` when it has several. */
export function listFields(
  schema: JsonSchema,
  shared: Shared,
): { fields: readonly Field[]; forms: readonly Form[] } {
  const { properties = {}, required = [], ...found } = resolve(schema, shared);
  const forms = listForms(found);
  if (forms.length > 1) {
    const listed = forms.map((form) => {
      const { description = "", items } = resolve(form, shared);
      const inner = items ? resolve(items, shared) : undefined;
      return { label: inner?.description ?? description, ...listFields(items ?? form, shared) };
    });
    return { fields: [], forms: listed.filter(({ fields }) => fields.length > 0) };
  }
  if (found.items) return listFields(found.items, shared);
  const [only] = forms;
  if (only && Object.keys(properties).length === 0) return listFields(only, shared);
  return {
    fields: Object.entries(properties).map(([name, field]) => ({
      name,
      type: describeType(field, shared),
      isRequired: required.includes(name),
      description: resolve(field, shared).description ?? "",
      ...listFields(field, shared),
    })),
    forms: [],
  };
}

/** Lists the forms of a value other than null. */
function listForms({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== "null");
}

/** Describes a schema's type in a few words. */
export function describeType(schema: JsonSchema, shared: Shared): string {
  const found = resolve(schema, shared);
  const { type, format, items, const: fixed } = found;
  if (fixed !== undefined) return JSON.stringify(fixed);
  if (found.enum) return found.enum.map((value) => JSON.stringify(value)).join(" or ");
  const forms = found.anyOf ?? found.oneOf;
  if (forms) {
    return [...new Set(forms.map((form) => describeType(form, shared)))].join(" or ");
  }
  if (Array.isArray(type)) {
    const describe = (each: string) =>
      each === "null" ? each : describeType({ ...found, type: each }, shared);
    return type.map(describe).join(" or ");
  }
  if (type === "array") return `list of ${items ? describeType(items, shared) : "values"}`;
  if (format === "date-time") return "time";
  if (format === "uuid") return "UUID";
  return type ?? "any value";
}
