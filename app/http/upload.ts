import { Failure } from "../domain/failure";
import { IMPORT_BYTES_MAX, UPLOAD_BYTES_MAX } from "../domain/imports/import";
import { type FileDecoder, readMultipart } from "./multipart";

const BOUNDS = {
  bytesMax: UPLOAD_BYTES_MAX,
  droppedBytesMax: 10 * IMPORT_BYTES_MAX,
};

/**
 * Reads a posted form that carries a file of text. The file's field holds its text. A second field, with `Name`
 * appended to the field's name, holds the file's name.
 * @param fileField the field that takes the file
 * @throws {Failure} `invalid_form`; for the file's field `import_too_large`, `import_not_utf8`
 */
export async function readUploadBody(
  request: Request,
  fileField = "file",
): Promise<URLSearchParams> {
  const body = await readMultipart(request, BOUNDS, () => decodeText(fileField));
  if (!body) throw new Failure("import_too_large", { field: fileField });
  return body;
}

/**
 * Decodes UTF-8 with or without a byte order mark. Other encodings are refused: a wrong guess would
 * garble the text.
 */
function decodeText(field: string): FileDecoder {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytesRead = 0;
  const decode = (bytes?: Uint8Array) => {
    bytesRead += bytes?.byteLength ?? 0;
    if (bytesRead > IMPORT_BYTES_MAX) throw new Failure("import_too_large", { field });
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      throw new Failure("import_not_utf8", { field, cause: error });
    }
    // UTF-16 without a byte order mark is valid UTF-8 with a NUL after each letter. PostgreSQL stores
    // no such text.
    if (text.includes("\0")) throw new Failure("import_not_utf8", { field });
    return text;
  };
  return { write: decode, end: decode };
}
