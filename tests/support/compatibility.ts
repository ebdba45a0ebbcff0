// Compares two OpenAPI documents: within a version, fields, codes and endpoints are only added
// (docs/compatibility.md).

// biome-ignore lint/suspicious/noExplicitAny: a document of any release
type Part = any;

/**
 * Lists what a client of the old document could miss in the new one, a sentence each.
 * @param before the document of the last release
 */
export function findBreaks(before: Part, after: Part): string[] {
  const breaks: string[] = [];
  for (const [path, methods] of entries(before.paths)) {
    for (const [method, old] of entries(methods)) {
      const now = after.paths[path]?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      if (!now) breaks.push(`${name} is gone`);
      else breaks.push(...compareOperations(old, now, before, after).map((at) => `${name}: ${at}`));
    }
  }
  return breaks;
}

const entries = (part: Part): [string, Part][] => Object.entries(part ?? {});

function compareOperations(old: Part, now: Part, before: Part, after: Part): string[] {
  const breaks: string[] = [];
  if (old.operationId !== now.operationId) breaks.push("operationId is another");
  if (old.security.length === 0 && now.security.length > 0) breaks.push("it needs a key");
  const find = (operation: Part, { name, in: place }: Part) =>
    operation.parameters.find((each: Part) => each.name === name && each.in === place);
  for (const parameter of old.parameters) {
    const same = find(now, parameter);
    if (!same) breaks.push(`the parameter ${parameter.name} is gone`);
    else
      breaks.push(...compareInputs(parameter.schema, same.schema, parameter.name, before, after));
  }
  for (const parameter of now.parameters) {
    if (parameter.required && !find(old, parameter)?.required) {
      breaks.push(`the parameter ${parameter.name} is required`);
    }
  }
  const bodyOf = ({ requestBody }: Part) => requestBody?.content["application/json"].schema;
  if (bodyOf(old) && !bodyOf(now)) breaks.push("its body is gone");
  else if (bodyOf(old))
    breaks.push(...compareInputs(bodyOf(old), bodyOf(now), "body", before, after));
  else if (bodyOf(now)) breaks.push("it needs a body");
  for (const [status, response] of entries(old.responses)) {
    const answer = (document: Part, { $ref, ...own }: Part) =>
      ($ref ? follow(document, $ref) : own).content["application/json"].schema;
    const same = now.responses[status];
    if (!same) breaks.push(`the status ${status} is gone`);
    else {
      const [was, is] = [answer(before, response), answer(after, same)];
      breaks.push(...compareAnswers(was, is, status, before, after));
    }
  }
  return breaks;
}

const follow = (document: Part, $ref: string): Part =>
  $ref
    .slice(2)
    .split("/")
    .reduce((part, key) => part?.[key], document);

const deref = (document: Part, { $ref, ...own }: Part): Part =>
  $ref ? { ...follow(document, $ref), ...own } : own;

const typesOf = ({ type }: Part): string[] => (type === undefined ? [] : [type].flat());
const formsOf = (schema: Part): Part[] => schema.anyOf ?? schema.oneOf ?? [];

/** Compares an answer: everything that a client reads stays, and means the same. */
function compareAnswers(was: Part, is: Part, at: string, before: Part, after: Part): string[] {
  const [old, now] = [deref(before, was), deref(after, is)];
  const breaks: string[] = [];
  const compare = (a: Part, b: Part, name: string) =>
    breaks.push(...compareAnswers(a, b, name, before, after));
  if (typesOf(old).join() !== typesOf(now).join()) breaks.push(`${at} has another type`);
  if (old.format !== now.format) breaks.push(`${at} has another format`);
  if (old.const !== now.const) breaks.push(`${at} has another value`);
  for (const value of old.enum ?? []) {
    if (now.enum && !now.enum.includes(value)) breaks.push(`${at} lacks ${value}`);
  }
  for (const [name, field] of entries(old.properties)) {
    const same = now.properties?.[name];
    if (!same) breaks.push(`${at}.${name} is gone`);
    else {
      compare(field, same, `${at}.${name}`);
      if (old.required?.includes(name) && !now.required?.includes(name)) {
        breaks.push(`${at}.${name} can be absent`);
      }
    }
  }
  if (old.items) {
    if (now.items) compare(old.items, now.items, `${at}[]`);
    else breaks.push(`${at} is a list no more`);
  }
  const [oldForms, newForms] = [formsOf(old), formsOf(now)];
  if (oldForms.length > newForms.length) breaks.push(`${at} has fewer forms`);
  else for (const [i, form] of oldForms.entries()) compare(form, newForms[i], at);
  const isNullable = (forms: Part[]) => forms.some(({ type }) => type === "null");
  if (isNullable(newForms) && !isNullable(oldForms)) breaks.push(`${at} can be null`);
  return breaks;
}

/** Compares an input: everything that a client sends is still taken. */
function compareInputs(was: Part, is: Part, at: string, before: Part, after: Part): string[] {
  const [old, now] = [deref(before, was), deref(after, is)];
  const breaks: string[] = [];
  const kept = typesOf(old).every(
    (type) => typesOf(now).length === 0 || typesOf(now).includes(type),
  );
  if (!kept) breaks.push(`${at} has another type`);
  for (const [bound, isNarrower] of [
    ["minimum", (a: number, b: number) => b > a],
    ["minLength", (a: number, b: number) => b > a],
    ["minItems", (a: number, b: number) => b > a],
    ["maximum", (a: number, b: number) => b < a],
    ["maxLength", (a: number, b: number) => b < a],
    ["maxItems", (a: number, b: number) => b < a],
  ] as const) {
    const [a, b] = [old[bound], now[bound]];
    if (b !== undefined && (a === undefined || isNarrower(a, b))) {
      breaks.push(`${at} has a narrower ${bound}`);
    }
  }
  for (const key of ["pattern", "format", "const", "default"]) {
    if (now[key] !== undefined && old[key] !== now[key]) breaks.push(`${at} has another ${key}`);
  }
  const values = old.enum ?? (old.const === undefined ? undefined : [old.const]);
  if (now.enum && !values?.every((value: unknown) => now.enum.includes(value))) {
    breaks.push(`${at} takes fewer values`);
  }
  for (const [name, field] of entries(old.properties)) {
    const same = now.properties?.[name];
    if (!same) breaks.push(`${at}.${name} is gone`);
    else breaks.push(...compareInputs(field, same, `${at}.${name}`, before, after));
  }
  for (const name of now.required ?? []) {
    if (!old.required?.includes(name)) breaks.push(`${at}.${name} is required`);
  }
  if (old.items && now.items) {
    breaks.push(...compareInputs(old.items, now.items, `${at}[]`, before, after));
  }
  return breaks;
}
