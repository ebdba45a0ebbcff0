import type { AppLoadContext } from "@remix-run/node";
import { Failure } from "../domain/failure";
import { parseUuid } from "../domain/uuid";
import { describeFailure } from "../http/failures";
import { BODY_BYTES_MAX } from "../http/request";
import { noteRefusedCall } from "../services/insights/refused-calls";
import { isSampleOpen, noteCall } from "../services/insights/request-log";
import type { EndpointPath } from "./endpoints";

/** The statuses that the dashboard counts: not authorized, not found, and rate limited. */
const COUNTED_STATUSES = new Set([401, 403, 404, 429]);

/** A call that is being answered. */
interface CallInProgress {
  readonly endpoint: EndpointPath;
  readonly request: Request;
  readonly context: Pick<AppLoadContext, "requestId">;
  /** The moment of its begin, by `performance.now()`. */
  readonly startedAt: number;
  /** The hash of its key, once it was read. */
  tokenHash: Buffer | null;
  /** The input that was read before the call was refused; undefined when none was read. */
  input: unknown;
}

/** Begins a call, whose parts become known on the way. */
export function beginCall(
  endpoint: EndpointPath,
  request: Request,
  context: CallInProgress["context"],
): CallInProgress {
  const startedAt = performance.now();
  return { endpoint, request, context, startedAt, tokenHash: null, input: undefined };
}

/** Notes a call that succeeds, for the sample in the request log. A credit pays for it. */
export function noteSuccess({ endpoint, context, startedAt, tokenHash, input }: CallInProgress) {
  const named = readPointSystemId(input);
  if (!isSampleOpen(typeof named === "string" ? named : null, tokenHash)) return;
  const pointSystemId = typeof named === "string" ? parseUuid(named) : null;
  const tookMs = performance.now() - startedAt;
  const { requestId } = context;
  noteCall({ requestId, endpoint, status: 200, code: null, tokenHash, pointSystemId, tookMs });
}

/** Counts a refused item of a batch that succeeds, as the refused call that it would have been alone. */
export function noteRefusedItem(pointSystemId: string, failure: Failure): void {
  countRefusal(parseUuid(pointSystemId), failure);
}

function countRefusal(pointSystemId: string | null, failure: Failure): void {
  const isCounted = COUNTED_STATUSES.has(describeFailure(failure).status);
  if (pointSystemId && isCounted) noteRefusedCall(pointSystemId, failure.code);
}

/**
 * Counts a refused call for the point system that it names, if any, and notes it for the request log.
 * The answer neither waits for it nor depends on it.
 * @param error the failure; anything else is answered as `internal_error`
 */
export function noteRefusal(error: unknown, call: CallInProgress): void {
  const { endpoint, request, context, startedAt, tokenHash, input } = call;
  const failure = error instanceof Failure ? error : new Failure("internal_error");
  const { status } = describeFailure(failure);
  const tookMs = performance.now() - startedAt;
  const note = (named: unknown) => {
    const pointSystemId = typeof named === "string" ? parseUuid(named) : null;
    countRefusal(pointSystemId, failure);
    const { requestId } = context;
    noteCall({
      ...{ requestId, endpoint, status, code: failure.code, tokenHash, pointSystemId, tookMs },
    });
  };
  if (input !== undefined) note(readPointSystemId(input));
  else if (request.method === "POST") void readUnreadBody(request).then(note);
  else note(new URL(request.url).searchParams.get("pointSystemId"));
}

/**
 * Reads the id of the point system from a body that has not been read yet. A body that is too long
 * or declares no length is not read.
 */
async function readUnreadBody(request: Request): Promise<unknown> {
  const declaredBytes = Number(request.headers.get("content-length") ?? Number.NaN);
  if (request.bodyUsed || !(declaredBytes <= BODY_BYTES_MAX)) return undefined;
  try {
    return readPointSystemId(JSON.parse(await request.text()));
  } catch {
    return undefined;
  }
}

function readPointSystemId(input: unknown): unknown {
  const isObject = typeof input === "object" && input !== null && "pointSystemId" in input;
  return isObject ? input.pointSystemId : undefined;
}
