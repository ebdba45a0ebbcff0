import { Failure } from "../domain/failure";
import { IMPORT_BYTES_MAX } from "../domain/imports/import";
import { readMultipart } from "./multipart";

/** The longest body that is read: the file and the form around it. */
const BODY_BYTES_MAX = IMPORT_BYTES_MAX + 64 * 1024;

/** The longest body that is read to its end, and dropped. */
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
  const parts = await readMultipart(request, BODY_BYTES_MAX, DROPPED_BYTES_MAX);
  if (!parts) throw new Failure("import_too_large", { field: fileField });
  const body = new URLSearchParams();
  for (const { name, fileName, bytes } of parts) {
    if (fileName === null) {
      body.append(name, bytes.toString("utf8"));
    } else if (bytes.length > IMPORT_BYTES_MAX) {
      throw new Failure("import_too_large", { field: fileField });
    } else {
      body.append(name, decodeText(bytes, fileField));
      body.append(`${name}Name`, fileName);
    }
  }
  return body;
}

/**
 * Decodes UTF-8 with or without a byte order mark. Other encodings are refused: a wrong guess would
 * garble the text.
 */
function decodeText(bytes: Uint8Array, field: string): string {
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
