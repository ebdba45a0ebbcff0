import type { Failure } from "../domain/failure";
import { parseUuid } from "../domain/uuid";
import { describeFailure } from "../http/failures";
import { BODY_BYTES_MAX } from "../http/request";
import { noteRefusedCall } from "../services/insights/refused-calls";

/** The statuses that the dashboard counts: not authorized, not found, and rate limited. */
const COUNTED_STATUSES = new Set([401, 403, 404, 429]);

/**
 * Counts a refused call for the point system that it names, if any. The answer neither waits for
 * the count nor depends on it.
 * @param input the input that was read before the call was refused; undefined when none was read
 */
export function noteRefusal(failure: Failure, request: Request, input: unknown): void {
  if (!COUNTED_STATUSES.has(describeFailure(failure).status)) return;
  const note = (named: unknown) => {
    const pointSystemId = typeof named === "string" ? parseUuid(named) : null;
    if (pointSystemId) noteRefusedCall(pointSystemId, failure.code);
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
