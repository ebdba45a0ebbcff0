import { z } from "zod";
import { isReservedSlug, SLUG_LENGTH_MAX, SLUG_PATTERN } from "../../../domain/point-systems/slug";

/** A name of one line of text. */
export const TitleInput = z
  .string()
  .trim()
  .min(1, "Enter a name")
  .max(100, "Use at most 100 characters")
  .regex(/^\P{Cc}*$/u, "Use one line of text");

/** A public path, or empty. */
const SlugInput = z
  .string()
  .trim()
  .toLowerCase()
  .max(SLUG_LENGTH_MAX, `Use at most ${SLUG_LENGTH_MAX} characters`)
  .refine(
    (slug) => slug === "" || SLUG_PATTERN.test(slug),
    "Use lowercase letters, digits and single hyphens, such as spring-season",
  )
  .refine((slug) => !isReservedSlug(slug), "This slug is reserved. Choose another")
  .transform((slug) => slug || null);

/** The fields of a point system that its owner chooses. */
export const PointSystemInputs = z.object({ name: TitleInput, slug: SlugInput });
