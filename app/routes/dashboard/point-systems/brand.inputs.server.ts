import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import { Failure } from "../../../domain/failure";
import {
  findLogoType,
  INTRO_LENGTH_MAX,
  LOGO_BYTES_MAX,
  LOGO_SIDE_MAX,
  readImageSize,
} from "../../../domain/point-systems/brand";
import { isMultipart, readMultipart } from "../../../http/multipart";
import { readBoundedText } from "../../../http/request";
import { TRIGGERS_MAX } from "../../../services/point-systems/triggers";

const BOUNDS = {
  /** Allows for a logo that is too large, so that the other fields are kept. */
  bytesMax: 4 * 1024 * 1024,
  droppedBytesMax: 64 * 1024 * 1024,
  /** A part for each trigger, beside the other fields. */
  partsMax: TRIGGERS_MAX + 16,
};

const orNull = <Schema extends z.ZodType<string, string>>(schema: Schema) =>
  schema.transform((text) => (text === "" ? null : text));

/** The look of the public pages. The logo comes as base64, from `readBrandBody`. */
export const BrandInputs = z.object({
  publicName: orNull(
    z
      .string()
      .trim()
      .max(100, "Use at most 100 characters")
      .regex(/^\P{Cc}*$/u, "Use one line of text"),
  ),
  intro: orNull(
    z
      .string()
      .trim()
      .transform((text) => text.replaceAll("\r\n", "\n"))
      .pipe(
        z
          .string()
          .max(INTRO_LENGTH_MAX, `Use at most ${INTRO_LENGTH_MAX} characters`)
          .regex(/^(\P{Cc}|\n)*$/u, "Use plain text"),
      ),
  ),
  accentColor: orNull(
    z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^(#[0-9a-f]{6})?$/, "Enter # and six hexadecimal digits, such as #3f42c4"),
  ),
  logo: z.string(),
  removeLogo: z.array(z.literal("yes")),
  publicTriggers: z.array(z.string().max(100)).max(TRIGGERS_MAX),
});

/**
 * Reads the image of a form; undefined when the form has none.
 * @throws {Failure} `logo_too_large`, `logo_unknown`, `logo_too_many_pixels`
 */
export function parseLogo(base64: string) {
  if (base64 === "") return undefined;
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length > LOGO_BYTES_MAX) throw new Failure("logo_too_large", { field: "logo" });
  const type = findLogoType(bytes);
  const size = type && readImageSize(bytes, type);
  if (!type || !size) throw new Failure("logo_unknown", { field: "logo" });
  if (Math.max(size.width, size.height) > LOGO_SIDE_MAX)
    throw new Failure("logo_too_many_pixels", { field: "logo" });
  return { bytes, type };
}

/**
 * Reads the form of the look, bounded in length. Its file becomes base64.
 * @throws {Failure} `invalid_form`; `logo_too_large` when the whole form is
 */
export async function readBrandBody(request: Request): Promise<URLSearchParams> {
  if (!isMultipart(request)) return new URLSearchParams(await readBoundedText(request));
  const body = await readMultipart(request, BOUNDS, () => new StringDecoder("base64"));
  if (body === null) throw new Failure("logo_too_large", { field: "logo" });
  return body;
}
