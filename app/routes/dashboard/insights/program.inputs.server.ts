import { z } from "zod";
import {
  listFigures,
  PROGRAM_WEEKS,
  PROGRAM_WEEKS_DEFAULT,
} from "../../../domain/insights/program";

/** The query of the page and its files, set by their links. Invalid values count as not set. */
const ProgramQuery = z.object({
  weeks: z.coerce
    .number()
    .pipe(z.literal([...PROGRAM_WEEKS]))
    .catch(PROGRAM_WEEKS_DEFAULT),
  figure: z
    .enum([...listFigures(), "tiers", "seasons"])
    .optional()
    .catch(undefined),
});

/** Reads from an address which weeks are shown, and the figure of a file. */
export function readProgramQuery(request: Request): z.infer<typeof ProgramQuery> {
  return ProgramQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
}
