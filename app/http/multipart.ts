import { Failure } from "../domain/failure";

/** The most parts of a form with a file. */
const PARTS_MAX = 64;
/** The most bytes of a part's headers. */
const HEADER_BYTES_MAX = 4 * 1024;

/** A field of a form that carries a file, or the file itself. */
export interface FormPart {
  readonly name: string;
  /** The file's name; null for a field. */
  readonly fileName: string | null;
  readonly bytes: Buffer;
}

/** Checks whether a request carries a form with a file. */
export function isMultipart(request: Request): boolean {
  return /^multipart\/form-data\s*;/i.test(request.headers.get("content-type") ?? "");
}

/**
 * Reads a posted form that carries a file. The number of its parts is bounded, so that a body of
 * nothing but parts costs no more than a body of one.
 * @param bytesMax the longest body that is kept
 * @param droppedBytesMax the longest body that is read to its end. A browser shows the answer only
 *   once its request is sent; the connection of a longer body ends
 * @returns null when the body is longer than `bytesMax`
 * @throws {Failure} `invalid_form`
 */
export async function readMultipart(
  request: Request,
  bytesMax: number,
  droppedBytesMax: number,
): Promise<FormPart[] | null> {
  const boundary = findParameter(request.headers.get("content-type") ?? "", "boundary");
  if (!isMultipart(request) || !boundary) throw new Failure("invalid_form");
  const body = await readBytes(request, bytesMax, droppedBytesMax);
  return body && splitParts(body, boundary);
}

/** The longest body of a refused upload that is read to its end. */
const REFUSED_BYTES_MAX = 100 * 1024 * 1024;

/** Reads a body to its end without keeping it: a browser shows an answer only once its request is sent. */
export async function dropBody(request: Request): Promise<void> {
  await readBytes(request, 0, REFUSED_BYTES_MAX);
}

async function readBytes(
  request: Request,
  bytesMax: number,
  droppedBytesMax: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  const declaredBytes = Number(request.headers.get("content-length") ?? 0);
  let isTooLarge = declaredBytes > bytesMax;
  let bytes = 0;
  if (declaredBytes <= droppedBytesMax && request.body) {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      isTooLarge ||= bytes > bytesMax;
      if (bytes > droppedBytesMax) break;
      if (isTooLarge) chunks.length = 0;
      else chunks.push(chunk);
    }
  }
  return isTooLarge ? null : Buffer.concat(chunks);
}

/** Splits a body at its boundary. Source: RFC 7578 and RFC 2046, 5.1.1. */
function splitParts(body: Buffer, boundary: string): FormPart[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first delimiter has no line end before it.
  let at = body.indexOf(delimiter.subarray(2));
  if (at !== 0) throw new Failure("invalid_form");
  at += delimiter.length - 2;
  while (body.toString("latin1", at, at + 2) === "\r\n") {
    const headerEnd = body.subarray(at, at + HEADER_BYTES_MAX).indexOf("\r\n\r\n");
    const end = body.indexOf(delimiter, at);
    if (headerEnd < 0 || end < at + headerEnd + 4 || parts.length === PARTS_MAX) {
      throw new Failure("invalid_form");
    }
    parts.push(
      readPart(
        body.toString("utf8", at + 2, at + headerEnd),
        body.subarray(at + headerEnd + 4, end),
      ),
    );
    at = end + delimiter.length;
  }
  if (body.toString("latin1", at, at + 2) !== "--") throw new Failure("invalid_form");
  return parts;
}

function readPart(headers: string, bytes: Buffer): FormPart {
  for (const line of headers.split("\r\n")) {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() !== "content-disposition") continue;
    const value = line.slice(colon + 1);
    const name = findParameter(value, "name");
    if (name !== null) return { name, fileName: findParameter(value, "filename"), bytes };
  }
  throw new Failure("invalid_form");
}

/**
 * Finds a parameter of a header. In quoted values, browsers write quotes and line ends with percent
 * signs. Source: HTML, 4.10.21.8.
 */
function findParameter(header: string, wanted: string): string | null {
  let at = header.indexOf(";");
  while (at >= 0) {
    const equals = header.indexOf("=", at);
    if (equals < 0) return null;
    const name = header
      .slice(at + 1, equals)
      .trim()
      .toLowerCase();
    const isQuoted = header[equals + 1] === '"';
    const start = isQuoted ? equals + 2 : equals + 1;
    const found = header.indexOf(isQuoted ? '"' : ";", start);
    const end = found < 0 ? header.length : found;
    if (name === wanted) {
      const text = header.slice(start, end);
      if (!isQuoted) return text.trim();
      return text.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
    }
    at = header.indexOf(";", end);
  }
  return null;
}
