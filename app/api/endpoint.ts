import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { hashApiKeyToken, isApiKeyToken, type NeededPermission } from "../domain/api-key";
import { Failure } from "../domain/failure";
import { authorizeKey, type Credential } from "../services/authorization";
import { describeFailure, getFailureHeaders } from "./failures";
import { noteRefusal } from "./refusals";

type HandlerArguments = LoaderFunctionArgs | ActionFunctionArgs;
export type Handler = (args: HandlerArguments) => Promise<Response>;

export interface EndpointCall<Input> {
  readonly input: Input;
  readonly credential: Credential;
  /** Names the key in the request's log line. */
  readonly noteApiKey: (apiKeyId: string) => void;
}

/** What a handler answers: a body that fits the reply schema, and headers beside the usual ones. */
export interface Reply<Body> {
  readonly body: Body;
  readonly headers?: Record<string, string>;
}

/**
 * A documented endpoint as data, from which an OpenAPI document can be derived.
 * Checks run in this order: method, key, permission, input; then `handle` checks scope and the rest.
 */
export interface EndpointDeclaration<Input, ReplySchema extends z.ZodType> {
  readonly method: "GET" | "POST";
  readonly permission: NeededPermission;
  /** Reads the input from the request. Throws the failure of the first bad part. */
  readonly parse: (request: Request) => Input | Promise<Input>;
  /** The shape of a 200's body: documentation, and what the tests hold every reply against. */
  readonly reply: ReplySchema;
  /** Must check the credential: `authorizeScope` or a statement that does it itself. */
  readonly handle: (call: EndpointCall<Input>) => Promise<Reply<z.input<ReplySchema>>>;
}

/** An endpoint's handler, with its declaration. */
export type Endpoint<Declaration = EndpointDeclaration<unknown, z.ZodType>> = Handler & {
  readonly declaration: Declaration;
};

const BASE_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
};

/**
 * A JSON answer with the headers that every answer of the API has. They are all said here: headers
 * that the server sets beforehand cost Node a slower path for each.
 */
export function answerJson(
  body: unknown,
  context: Pick<AppLoadContext, "replyHeaders">,
  { status = 200, headers }: { status?: number; headers?: Record<string, string> | undefined } = {},
): Response {
  const text = JSON.stringify(body);
  return new Response(text, {
    status,
    headers: {
      ...context.replyHeaders,
      ...BASE_HEADERS,
      // So that HEAD says it too, whichever way the request came in.
      "Content-Length": String(Buffer.byteLength(text)),
      ...headers,
    },
  });
}

/** The documented answer to a failure. The message stands under both names in use. */
export function answerFailure(
  failure: Failure,
  context: Pick<AppLoadContext, "replyHeaders">,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, message } = describeFailure(failure);
  const body = { error: message, message, code: failure.code };
  return answerJson(body, context, {
    status,
    headers: { ...headers, ...getFailureHeaders(failure) },
  });
}

/**
 * What was thrown, as the answer to it. What is not a failure is a bug: logged, 500, no detail.
 * @param headers beside the usual ones
 */
export function answerError(
  error: unknown,
  context: AppLoadContext,
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (!(error instanceof Failure)) context.logError(error);
  else if (error.details.cause) context.logError(error.details.cause);
  const failure = error instanceof Failure ? error : new Failure("internal_error");
  return answerFailure(failure, context, headers);
}

/**
 * Makes the one function that serves an endpoint as a Remix loader and action alike, so that a
 * wrong method is answered here and not by the framework.
 */
export function endpoint<Input, ReplySchema extends z.ZodType>(
  declaration: EndpointDeclaration<Input, ReplySchema>,
): Endpoint {
  const serve: Handler = async ({ request, context }) => {
    const noteApiKey = (apiKeyId: string) => {
      context.log.apiKeyId = apiKeyId;
    };
    let input: Input | undefined;
    try {
      checkMethod(request.method, declaration.method);
      const credential = readCredential(request.headers.get("authorization"));
      input = await readInput(declaration, request, credential, noteApiKey);
      const { body, headers } = await declaration.handle({ input, credential, noteApiKey });
      return answerJson(body, context, { headers });
    } catch (error) {
      if (error instanceof Failure) noteRefusal(error, request, input);
      return answerError(error, context);
    }
  };
  return Object.assign(serve, { declaration: declaration as Endpoint["declaration"] });
}

/** The input, or its failure: but a key's own failures come before those of the input. */
async function readInput<Input, ReplySchema extends z.ZodType>(
  { permission, parse }: EndpointDeclaration<Input, ReplySchema>,
  request: Request,
  credential: Credential,
  noteApiKey: (apiKeyId: string) => void,
): Promise<Input> {
  try {
    return await parse(request);
  } catch (error) {
    noteApiKey((await authorizeKey(credential, permission)).id);
    throw error;
  }
}

/** @throws {Failure} `method_not_allowed`, unless a HEAD asks for what a GET would be answered */
export function checkMethod(used: string, declared: "GET" | "POST"): void {
  if (used === declared || (used === "HEAD" && declared === "GET")) return;
  throw new Failure("method_not_allowed", { allow: declared === "GET" ? "GET, HEAD" : declared });
}

/** Reads `Authorization: Bearer rw_…`; the scheme's letter case does not matter (RFC 9110, 11.1). */
function readCredential(authorization: string | null): Credential {
  if (authorization === null) throw new Failure("missing_api_key");
  const token = /^bearer +(rw_.*)$/i.exec(authorization)?.[1];
  if (!token?.startsWith("rw_")) throw new Failure("invalid_api_key_format");
  if (!isApiKeyToken(token)) throw new Failure("invalid_api_key");
  return { tokenHash: hashApiKeyToken(token) };
}
