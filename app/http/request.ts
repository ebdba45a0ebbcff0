import { Failure } from "../domain/failure";

/** The longest body that is read unless a route allows more, in bytes. */
export const BODY_BYTES_MAX = 16 * 1024;

/** Checks whether a body is longer than most may be, or has no declared length. */
export function isLongBody({ headers }: Request): boolean {
  const declaredBytes = headers.get("content-length");
  return declaredBytes === null || Number(declaredBytes) > BODY_BYTES_MAX;
}

/**
 * Checks a request's method. HEAD passes where GET does.
 * @throws {Failure} `method_not_allowed`
 */
export function checkMethod(used: string, declared: "GET" | "POST"): void {
  if (used === declared || (used === "HEAD" && declared === "GET")) return;
  throw new Failure("method_not_allowed", { allow: declared === "GET" ? "GET, HEAD" : declared });
}

/**
 * Reads a request's JSON body, up to `bytesMax` bytes. An empty body is an empty object.
 * @throws {Failure} `unsupported_content_type`, `unsupported_content_encoding`, `body_too_large`,
 *   `invalid_json`
 */
export async function readJsonBody(request: Request, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const contentType = request.headers.get("content-type");
  if (contentType !== null && !/^\s*application\/json\s*(;|$)/i.test(contentType)) {
    throw new Failure("unsupported_content_type");
  }
  if (!/^(identity)?$/i.test(request.headers.get("content-encoding") ?? "")) {
    throw new Failure("unsupported_content_encoding");
  }
  const text = await readBoundedText(request, bytesMax);
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure("invalid_json");
  }
}

/**
 * Reads a body as text, up to `bytesMax` bytes.
 * @throws {Failure} `body_too_large`
 */
export async function readBoundedText(
  request: Request,
  bytesMax = BODY_BYTES_MAX,
): Promise<string> {
  const declaredBytes = request.headers.get("content-length");
  if (declaredBytes !== null) {
    // Node's parser ends the body at the declared length.
    if (Number(declaredBytes) > bytesMax) throw new Failure("body_too_large");
    return request.text();
  }
  if (!request.body) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new Failure("body_too_large");
    chunks.push(chunk);
  }
  // As `text()` reads it: without a byte order mark.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
