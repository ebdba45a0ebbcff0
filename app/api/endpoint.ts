import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { hashApiKeyToken, isApiKeyToken } from "../domain/access/api-key";
import { Failure } from "../domain/failure";
import type { ApiErrorCode } from "../domain/reference/error-help";
import { parseTraceId } from "../domain/trace";
import { answerError, answerJson } from "../http/answers";
import { checkMethod, isLongBody } from "../http/request";
import { takeUploadPlace } from "../http/upload-places";
import {
  type AuthorizedKey,
  authorizeAnyScope,
  authorizeKey,
  authorizeScope,
  type Credential,
  type KeyFinding,
  requireScope,
  wasAuthorized,
} from "../services/access/authorization";
import { getKeyActor } from "../services/access/key-actor";
import type { RequestOrigin } from "../services/access/members";
import { mayReplicasAnswer, noteWriter, readReplicated } from "../services/access/own-writes";
import { API_ENDPOINTS, type KeyedPath } from "./endpoints";
import type { DeclaredInput } from "./input";
import { beginCall, noteRefusal, noteSuccess } from "./refusals";

type HandlerArguments = LoaderFunctionArgs | ActionFunctionArgs;
export type Handler = (args: HandlerArguments) => Promise<Response>;

/** A 200: a body that fits the reply schema, and headers beside the usual ones. */
export interface EndpointReply<Body> {
  readonly body: Body;
  readonly headers?: Record<string, string>;
}

/** A handler's call, after the key, its permission and its scope were checked. */
export interface AuthorizedCall<Input> {
  readonly input: Input;
  readonly key: AuthorizedKey;
  /** For a statement that checks the key once more, in the transaction that writes. */
  readonly credential: Credential;
  /** The origin of the request, for the audit log. */
  readonly origin: RequestOrigin;
}

/** The shapes of an endpoint's input, reply and errors. */
export interface Shapes<Input, ReplySchema extends z.ZodType> {
  /** The documented query or body, by which `parse` reads. */
  readonly input: DeclaredInput;
  /** The endpoint's own failures, beside those of its key, its input and the service. */
  readonly failures: readonly ApiErrorCode[];
  /** The failures of one item for which the whole call can be refused: a 409 with its place. */
  readonly itemFailures?: readonly ApiErrorCode[];
  /** Whether the key is checked before a body of several megabytes is read, and takes a place. */
  readonly isKeyFirst?: boolean;
  /** Reads the input from the request. Throws the failure of the first bad part. */
  readonly parse: (request: Request) => Input | Promise<Input>;
  /** The shape of a 200's body. The tests hold every reply against it. */
  readonly reply: ReplySchema;
}

/** An endpoint of one point system: the key must reach the one that the input names. */
interface PointSystemScope<Input, Body> {
  readonly scope: "point-system";
  readonly isReplicated?: never;
  readonly handle: (call: AuthorizedCall<Input>) => Promise<EndpointReply<Body>>;
}

/** An endpoint of one point system that only reads, and what is the same for each key in its scope. */
interface ReplicatedScope<Input, Body> {
  readonly scope: "point-system";
  /** A replica may answer what `handle` reads: a moment late, but with the caller's own writes. */
  readonly isReplicated: true;
  /** It may run beside the check of the key, and then its answer waits for the check. */
  readonly handle: (call: { readonly input: Input }) => Promise<EndpointReply<Body>>;
  /**
   * Reads in the statement that checks the key, where no replica may answer: faster than `handle`, which is called for
   * input for which this returns null.
   */
  readonly readWithKey?: (call: {
    readonly input: Input;
    readonly credential: Credential;
  }) => Promise<KeyedRead<Body>> | null;
}

/** The answer of a statement that checks the key and reads. */
interface KeyedRead<Body> {
  readonly finding: KeyFinding;
  /** Called only if the key may read it. */
  readonly reply: () => EndpointReply<Body> | Promise<EndpointReply<Body>>;
}

/** An endpoint of no point system in particular: the key must reach at least one. */
interface AnyScope<Input, Body> {
  readonly scope: "any";
  readonly handle: (call: AuthorizedCall<Input>) => Promise<EndpointReply<Body>>;
}

/**
 * An endpoint whose statement checks key, permission and scope itself, in the transaction that writes.
 * It returns the id of the key that the statement accepted.
 */
interface InStatementScope<Input, Body> {
  readonly scope: "in-statement";
  readonly handle: (call: {
    readonly input: Input;
    readonly credential: Credential;
  }) => Promise<EndpointReply<Body> & { readonly apiKeyId: string }>;
}

type OfPointSystem<Input, ReplySchema extends z.ZodType> = Shapes<Input, ReplySchema> &
  (PointSystemScope<Input, z.input<ReplySchema>> | ReplicatedScope<Input, z.input<ReplySchema>>);
type OfNoPointSystem<Input, ReplySchema extends z.ZodType> = Shapes<Input, ReplySchema> &
  (AnyScope<Input, z.input<ReplySchema>> | InStatementScope<Input, z.input<ReplySchema>>);

/** An endpoint's handler, with its declaration. */
export type Endpoint<Declaration = Shapes<unknown, z.ZodType>> = Handler & {
  readonly declaration: Declaration;
};

/**
 * Makes the one function that serves an endpoint as a Remix loader and action alike, so that this
 * function, not the framework, answers a wrong method. Checks run in this order: method, key,
 * permission, input, scope; then `handle` runs.
 * @param path the endpoint's row in `API_ENDPOINTS`, which has its method and permission
 */
export function endpoint<Input extends { readonly pointSystemId: string }, Reply extends z.ZodType>(
  path: KeyedPath,
  declaration: OfPointSystem<Input, Reply>,
): Endpoint<OfPointSystem<Input, Reply>>;
export function endpoint<Input, Reply extends z.ZodType>(
  path: KeyedPath,
  declaration: OfNoPointSystem<Input, Reply>,
): Endpoint<OfNoPointSystem<Input, Reply>>;
export function endpoint<Input, Reply extends z.ZodType>(
  path: KeyedPath,
  declaration:
    | OfPointSystem<Input & { readonly pointSystemId: string }, Reply>
    | OfNoPointSystem<Input, Reply>,
): Endpoint {
  const { method, permission } = API_ENDPOINTS[path];
  const serve: Handler = async ({ request, context }) => {
    const call = beginCall(path, request, context);
    let leave = () => {};
    try {
      checkMethod(request.method, method);
      const credential = readCredential(request.headers.get("authorization"));
      call.tokenHash = credential.tokenHash;
      const noteKey = (key: AuthorizedKey) => {
        context.log.apiKeyId = key.id;
        return key;
      };
      // A key's own failures come before those of the input.
      const parse = async <Parsed>(read: (request: Request) => Parsed | Promise<Parsed>) => {
        try {
          refuseRepeatedHeaders(declaration.input, context);
          const parsed = await read(request);
          call.input = parsed;
          return parsed;
        } catch (error) {
          noteKey(await authorizeKey(credential, permission));
          throw error;
        }
      };
      const noteWrite = () => {
        if (method !== "GET") noteWriter(credential);
      };
      const traceId = parseTraceId(request.headers.get("traceparent"));
      const origin = { ip: context.ip, requestId: context.requestId, traceId };
      const answer = ({ body, headers }: EndpointReply<unknown>) => {
        noteSuccess(call);
        return answerJson(body, context, { headers });
      };
      if (declaration.isKeyFirst) {
        const key = noteKey(await authorizeKey(credential, permission));
        if (isLongBody(request)) {
          leave = takeUploadPlace((await getKeyActor(key, origin)).operatorId);
        }
      }
      if (declaration.scope === "point-system") {
        const parsed = await parse(declaration.parse);
        const { pointSystemId } = parsed;
        const check = async () =>
          noteKey(await authorizeScope(credential, permission, pointSystemId));
        if (declaration.isReplicated) {
          const readWithKey = mayReplicasAnswer() ? undefined : declaration.readWithKey;
          const keyed = await readWithKey?.({ input: parsed, credential });
          if (keyed) {
            noteKey(requireScope(keyed.finding, permission));
            return answer(await keyed.reply());
          }
          const read = () =>
            readReplicated(credential, request.url, parsed, () =>
              declaration.handle({ input: parsed }),
            );
          // What a key was just allowed to read is most likely allowed again: it is read in the time of the check.
          if (!wasAuthorized(credential, permission, pointSystemId)) {
            await check();
            return answer(await read());
          }
          const reading = read();
          reading.catch(() => {}); // The failure of the check comes first.
          await check();
          return answer(await reading);
        }
        const key = await check();
        const handled = declaration.handle({ input: parsed, key, credential, origin });
        return answer(await handled.finally(noteWrite));
      }
      const parsed = await parse(declaration.parse);
      if (declaration.scope === "any") {
        const key = noteKey(await authorizeAnyScope(credential, permission));
        const handled = declaration.handle({ input: parsed, key, credential, origin });
        return answer(await handled.finally(noteWrite));
      }
      const reply = await declaration.handle({ input: parsed, credential });
      noteKey({ id: reply.apiKeyId });
      return answer(reply);
    } catch (error) {
      noteRefusal(error, call);
      return answerError(error, context);
    } finally {
      leave();
    }
  };
  return Object.assign(serve, { declaration });
}

/** Refuses a header that has two values: each of them could be the one that its sender means. */
function refuseRepeatedHeaders(
  input: DeclaredInput,
  { isRepeated }: Pick<AppLoadContext, "isRepeated">,
): void {
  const headers = "body" in input && input.headers ? Object.keys(input.headers.shape) : [];
  if (headers.some(isRepeated)) throw new Failure("invalid_idempotency_key");
}

/** Reads `Authorization: Bearer rw_…`; the scheme's letter case does not matter (RFC 9110, 11.1). */
function readCredential(authorization: string | null): Credential {
  if (authorization === null) throw new Failure("missing_api_key");
  const token = /^bearer +(rw_.*)$/i.exec(authorization)?.[1];
  if (!token?.startsWith("rw_")) throw new Failure("invalid_api_key_format");
  if (!isApiKeyToken(token)) throw new Failure("invalid_api_key");
  return { tokenHash: hashApiKeyToken(token) };
}
