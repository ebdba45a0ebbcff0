import type { NeededPermission } from "../../domain/access/api-key";
import {
  API_ERROR_CODES,
  type ApiErrorCode,
  type ErrorHelp,
  getErrorHelp,
} from "../../domain/reference/error-help";
import type { ExampleValues } from "../../domain/reference/example";
import type { Field, Form } from "../../domain/reference/field";
import {
  LANGUAGES,
  type Language,
  type SampleCall,
  writeSample,
} from "../../domain/reference/samples";
import { API_ENDPOINTS, type EndpointPath, isManagePath } from "../endpoints";
import {
  describeError,
  type EndpointError,
  listEndpointErrors,
  listEndpointsWithError,
} from "./errors";
import { describeType, listFields } from "./fields";
import { createOpenApiDocument } from "./openapi";
import { PROSE } from "./prose";
import { GROUPS } from "./prose-form";

/** An endpoint in the navigation. */
export interface EndpointLink {
  readonly path: EndpointPath;
  readonly slug: string;
  readonly method: "GET" | "POST";
  readonly title: string;
  readonly summary: string;
}

export interface Sample {
  readonly language: Language;
  readonly text: string;
}

/** The content of an endpoint's page. */
export interface EndpointPage extends EndpointLink {
  readonly permission: NeededPermission | null;
  /** The key that a call needs, in words. */
  readonly access: string;
  readonly use: string;
  readonly avoid: string;
  readonly notes: readonly string[];
  /** The query's parameters, or the body's fields. */
  readonly inputs: readonly Field[];
  readonly headers: readonly Field[];
  readonly answer: { readonly fields: readonly Field[]; readonly forms: readonly Form[] };
  readonly example: string;
  readonly errors: readonly (EndpointError & ErrorHelp)[];
  readonly samples: readonly Sample[];
}

/** The content of an error's page. */
export interface ErrorPage extends ErrorHelp {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly message: string;
  readonly example: string;
  readonly endpoints: readonly EndpointLink[];
}

const document = createOpenApiDocument();
const PATHS = Object.keys(API_ENDPOINTS) as EndpointPath[];

const toSlug = (path: EndpointPath) => path.replaceAll("/", "-");

/** Finds an endpoint by its page's name. */
export function findEndpointPath(slug: string): EndpointPath | undefined {
  return PATHS.find((path) => toSlug(path) === slug);
}

function toLink(path: EndpointPath): EndpointLink {
  const { method, summary } = API_ENDPOINTS[path];
  return { path, slug: toSlug(path), method, title: PROSE[path].title, summary };
}

/** Lists the endpoints by group, as the navigation shows them. */
export function listEndpointGroups(): { group: string; endpoints: EndpointLink[] }[] {
  return Object.keys(GROUPS).map((group) => ({
    group,
    endpoints: PATHS.filter((path) => PROSE[path].group === group).map(toLink),
  }));
}

/** Makes the call of an endpoint's samples. */
export function toSampleCall(path: EndpointPath, values: ExampleValues): SampleCall {
  const { method, permission } = API_ENDPOINTS[path];
  const { operationId, request, headers = {} } = PROSE[path];
  return {
    operationId,
    isInSdk: !isManagePath(path),
    method,
    path: `/${path}`,
    needsKey: permission !== null,
    request: request(values),
    headers,
  };
}

/** Makes the content of an endpoint's page, with a reader's values in the samples. */
export function createEndpointPage(path: EndpointPath, values: ExampleValues): EndpointPage {
  const { permission } = API_ENDPOINTS[path];
  const { use, avoid, notes, answer } = PROSE[path];
  const operation = Object.values(document.paths[`/${path}`] ?? {})[0];
  if (!operation) throw new Error(`The document lacks ${path}`);
  const { schemas } = document.components;
  const body = operation.requestBody?.content["application/json"].schema;
  const listed = operation.parameters.map(({ name, required, description = "", schema }) => ({
    name,
    type: describeType(schema, schemas),
    isRequired: required,
    description:
      schema.default === undefined ? description : `${description}. Default: ${schema.default}`,
    fields: [],
    forms: [],
  }));
  const reply = operation.responses["200"]?.content?.["application/json"].schema ?? {};
  return {
    ...toLink(path),
    permission,
    access: describeAccess(permission),
    use,
    avoid,
    notes,
    inputs: body ? listFields(body, schemas).fields : listed,
    headers: body ? listed : [],
    answer: listFields(reply, schemas),
    example: JSON.stringify(answer(values), null, 2),
    errors: listEndpointErrors(path).map((error) => ({ ...error, ...getErrorHelp(error.code) })),
    samples: LANGUAGES.map((language) => ({
      language,
      text: writeSample(language, toSampleCall(path, values), values),
    })),
  };
}

function describeAccess(permission: NeededPermission | null): string {
  if (permission === null) return "no key";
  return permission === "manage" ? "permission manage" : `permission ${permission} or all`;
}

/** Makes the content of an error's page. */
export function createErrorPage(code: ApiErrorCode): ErrorPage {
  const { status, message } = describeError(code);
  const example = JSON.stringify({ error: message, message, code }, null, 2);
  const endpoints = listEndpointsWithError(code).map(toLink);
  return { code, status, message, example, endpoints, ...getErrorHelp(code) };
}

/** Lists all errors with their pages' contents, by status. */
export function listErrorPages(): ErrorPage[] {
  return API_ERROR_CODES.map(createErrorPage).toSorted((a, b) => a.status - b.status);
}
