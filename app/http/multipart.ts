import { once } from "node:events";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Failure } from "../domain/failure";

/** The most parts of a form with a file, unless its page allows more. */
const PARTS_MAX = 64;
/** The most bytes of a part's headers. */
const HEADER_BYTES_MAX = 4 * 1024;

/** The bounds of a posted form with a file. */
interface FormBounds {
  /** The longest body that is read. */
  readonly bytesMax: number;
  /**
   * The longest body that is read to its end and dropped. A browser shows the answer only once its request is sent;
   * the connection of a longer body ends.
   */
  readonly droppedBytesMax: number;
  readonly partsMax?: number;
}

/** Turns a file's bytes into text, piece by piece as they arrive. */
export interface FileDecoder {
  write(bytes: Buffer): string;
  end(): string;
}

/** Checks whether a request carries a form with a file. */
export function isMultipart(request: Request): boolean {
  return /^multipart\/form-data\s*;/i.test(request.headers.get("content-type") ?? "");
}

/**
 * Reads a posted form that carries a file, as a stream. A file's field holds its decoded text. A second field, with
 * `Name` appended to the field's name, holds the file's name. The number of parts is bounded, so that a body of nothing
 * but parts costs no more than a body of one. Source: RFC 7578.
 * @param openFile gives the decoder of a file. What it throws is thrown here
 * @returns null when the body is longer than `bytesMax`
 * @throws {Failure} `invalid_form`
 */
export async function readMultipart(
  request: Request,
  bounds: FormBounds,
  openFile: () => FileDecoder,
): Promise<URLSearchParams | null> {
  if (!isMultipart(request)) throw new Failure("invalid_form");
  const body = new URLSearchParams();
  let problem: unknown;
  const fail = (error: unknown) => {
    problem ??= error;
  };
  const failAsForm = (cause: unknown) => fail(new Failure("invalid_form", { cause }));
  const parser = makeParser(request, bounds);
  // The names are undefined when a part has none, whatever the types say.
  const check = (name: string | undefined) => {
    if (name === undefined) fail(new Failure("invalid_form"));
  };
  parser.on("field", (name, text) => {
    check(name);
    body.append(name, text);
  });
  parser.on("file", (name, file, fileName) => {
    check(name);
    const decoder = openFile();
    let text = "";
    const add = (decode: () => string) => {
      try {
        if (problem === undefined) text += decode();
      } catch (error) {
        fail(error);
      }
    };
    file.on("data", (bytes: Buffer) => add(() => decoder.write(bytes)));
    file.on("end", () => {
      add(() => decoder.end());
      body.append(name, text);
      // In names, browsers write quotes and line ends with percent signs. Source: HTML, 4.10.21.8.
      body.append(
        `${name}Name`,
        (fileName ?? "").replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n"),
      );
    });
    file.on("error", failAsForm);
  });
  parser.on("partsLimit", () => fail(new Failure("invalid_form")));
  const finished = once(parser, "finish").catch(failAsForm);
  const isWhole = await readChunks(request, bounds, async (chunk) => {
    if (problem === undefined && !parser.write(chunk)) {
      await Promise.race([once(parser, "drain"), finished]);
    }
  });
  if (!isWhole) {
    parser.destroy();
    return null;
  }
  parser.end();
  await finished;
  if (problem !== undefined) throw problem;
  return body;
}

/** The longest body of a refused upload that is read to its end. */
const REFUSED_BYTES_MAX = 100 * 1024 * 1024;

/** Reads a body to its end without keeping it: a browser shows an answer only once its request is sent. */
export async function dropBody(request: Request): Promise<void> {
  await readChunks(request, { bytesMax: 0, droppedBytesMax: REFUSED_BYTES_MAX }, async () => {});
}

function makeParser(
  request: Request,
  { bytesMax, partsMax = PARTS_MAX }: FormBounds,
): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": request.headers.get("content-type") ?? "" },
      limits: { parts: partsMax, headerSize: HEADER_BYTES_MAX, fieldSize: bytesMax },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch (error) {
    throw new Failure("invalid_form", { cause: error });
  }
}

/**
 * Reads a body piece by piece, until it is too large.
 * @returns whether all of it was taken
 */
async function readChunks(
  request: Request,
  { bytesMax, droppedBytesMax }: FormBounds,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<boolean> {
  const declaredBytes = Number(request.headers.get("content-length") ?? 0);
  let isTooLarge = declaredBytes > bytesMax;
  let bytes = 0;
  if (declaredBytes <= droppedBytesMax && request.body) {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      isTooLarge ||= bytes > bytesMax;
      if (bytes > droppedBytesMax) break;
      if (!isTooLarge) await take(chunk);
    }
  }
  return !isTooLarge;
}
