import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { hashApiKeyToken, isApiKeyToken, type NeededPermission } from "../domain/access/api-key";
import { Failure } from "../domain/failure";
import { answerError, answerJson } from "../http/answers";
import { checkMethod } from "../http/request";
import { authorizeKey, type Credential } from "../services/access/authorization";
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

/** Reads `Authorization: Bearer rw_…`; the scheme's letter case does not matter (RFC 9110, 11.1). */
function readCredential(authorization: string | null): Credential {
  if (authorization === null) throw new Failure("missing_api_key");
  const token = /^bearer +(rw_.*)$/i.exec(authorization)?.[1];
  if (!token?.startsWith("rw_")) throw new Failure("invalid_api_key_format");
  if (!isApiKeyToken(token)) throw new Failure("invalid_api_key");
  return { tokenHash: hashApiKeyToken(token) };
}
