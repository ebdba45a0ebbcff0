import type { Failure } from "../domain/failure";
import { parseUuid } from "../domain/uuid";
import { describeFailure } from "../http/failures";
import { BODY_BYTES_MAX } from "../http/request";
import { noteRefusedCall } from "../services/insights/refused-calls";

/** What the dashboard shows: who may not, what is not there, and who is too quick. */
const COUNTED_STATUSES = new Set([401, 403, 404, 429]);

/**
 * Counts a refused call for the point system that it names, if it names one. The answer neither
 * waits for this nor depends on it.
 * @param input what was read from the call before it was refused; undefined when nothing was
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
 * The point system that a body names which nobody has read yet. One without a declared length, or
 * too long, is left alone.
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
