import { Failure } from "../domain/failure";
import { IMPORT_BYTES_MAX } from "../domain/imports/import";

/** The longest body that is read: the file and the form around it. */
const BODY_BYTES_MAX = IMPORT_BYTES_MAX + 64 * 1024;

/**
 * The longest body that is read to its end, in bytes. A browser shows the answer only once its
 * request is sent, so a body that is too large is still read up to this length, and dropped. The
 * connection of a longer body ends.
 */
const DROPPED_BYTES_MAX = 10 * IMPORT_BYTES_MAX;

/**
 * Reads a posted form that carries a file, up to `BODY_BYTES_MAX` bytes. The file's field holds its
 * text. A second field, with `Name` appended to the field's name, holds the file's name.
 * @param fileField the field that takes the file
 * @throws {Failure} `invalid_form`; for the file's field `import_too_large`, `import_not_utf8`
 */
export async function readUploadBody(
  request: Request,
  fileField = "file",
): Promise<URLSearchParams> {
  const contentType = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw new Failure("invalid_form");
  const bytes = await readBoundedBytes(request, fileField);
  const body = new URLSearchParams();
  for (const [name, value] of await parseMultipart(bytes, contentType)) {
    if (typeof value === "string") {
      body.append(name, value);
    } else if (value.size > IMPORT_BYTES_MAX) {
      throw new Failure("import_too_large", { field: fileField });
    } else {
      body.append(name, decodeText(await value.arrayBuffer(), fileField));
      body.append(`${name}Name`, value.name);
    }
  }
  return body;
}

async function readBoundedBytes(request: Request, fileField: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const declaredBytes = Number(request.headers.get("content-length") ?? 0);
  let isTooLarge = declaredBytes > BODY_BYTES_MAX;
  let bytes = 0;
  if (declaredBytes <= DROPPED_BYTES_MAX && request.body) {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      isTooLarge ||= bytes > BODY_BYTES_MAX;
      if (bytes > DROPPED_BYTES_MAX) break;
      if (isTooLarge) chunks.length = 0;
      else chunks.push(chunk);
    }
  }
  if (isTooLarge) throw new Failure("import_too_large", { field: fileField });
  return Buffer.concat(chunks);
}

async function parseMultipart(bytes: Buffer<ArrayBuffer>, contentType: string) {
  try {
    return await new Response(bytes, { headers: { "Content-Type": contentType } }).formData();
  } catch (error) {
    throw new Failure("invalid_form", { cause: error });
  }
}

/**
 * Decodes UTF-8 with or without a byte order mark. Other encodings are refused: a wrong guess would
 * garble the text.
 */
function decodeText(bytes: ArrayBuffer, field: string): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Failure("import_not_utf8", { field, cause: error });
  }
  // UTF-16 without a byte order mark is valid UTF-8 with a NUL after each letter. PostgreSQL stores
  // no such text.
  if (text.includes("\0")) throw new Failure("import_not_utf8", { field });
  return text;
}
