import { z } from "zod";
import { BOARD_KINDS } from "../../../domain/board/board-kind";
import { keepMoment, parseLocalTime } from "../../../domain/local-time";
import type { BoardChange, NewBoard, Season } from "../../../services/board/boards";
import {
  checkLocalTime,
  LocalTimeInput,
  TimeZoneInput,
  TitleInput,
} from "../../shared.inputs.server";
import { SlugInput } from "../point-systems/point-system.inputs.server";

const Shown = z.enum(["yes", "no"], "Choose who sees it").transform((text) => text === "yes");
const TimeInput = LocalTimeInput.default("");

/** The fields of every board. */
const boardFields = { name: TitleInput, isPublic: Shown };

/** The fields of a new board, without the times of a season. */
const newBoardFields = {
  ...boardFields,
  kind: z.enum(BOARD_KINDS, "Choose a kind of board"),
  slug: SlugInput.optional().transform((slug) => slug ?? null),
  timeZone: TimeZoneInput,
};

type NewFields = z.output<z.ZodObject<typeof newBoardFields>>;

function checkSlug({ kind, slug }: NewFields, context: z.RefinementCtx): void {
  if (kind !== "season" || slug !== null) return;
  context.addIssue({ code: "custom", path: ["slug"], message: "Enter the season’s name in calls" });
}

/** A new board as the management API has it: its times are moments. */
export const NewBoardFields = z.object(newBoardFields).superRefine(checkSlug);

const times = { startsAt: TimeInput, endsAt: TimeInput };

/** The form of a new board. The fields of seasons are ignored for boards that repeat. */
export const NewBoardInputs = z
  .object({ ...newBoardFields, ...times })
  .superRefine((fields, context) => {
    checkSlug(fields, context);
    if (fields.kind === "season") checkTimes(fields, context);
  });

/** The form of a board's changes; its times are empty for a board that repeats or has ended. */
export const BoardInputs = z
  .object({ ...boardFields, ...times, timeZone: TimeZoneInput })
  .superRefine((fields, context) => {
    if (fields.startsAt !== "" || fields.endsAt !== "") checkTimes(fields, context);
  });

type Times = Readonly<Record<"startsAt" | "endsAt" | "timeZone", string>>;

function checkTimes({ startsAt, endsAt, timeZone }: Times, context: z.RefinementCtx): void {
  const start = checkLocalTime("startsAt", startsAt, timeZone, context);
  const end = checkLocalTime("endsAt", endsAt, timeZone, context);
  if (start && end) checkOrder({ startsAt: start, endsAt: end }, context);
}

function checkOrder({ startsAt, endsAt }: Season, context: z.RefinementCtx): void {
  if (startsAt < endsAt) return;
  context.addIssue({ code: "custom", path: ["endsAt"], message: "Choose an end after the start" });
}

/** The times of a season as moments. */
export const SeasonTimes = z
  .object({ startsAt: z.iso.datetime(), endsAt: z.iso.datetime() })
  .transform(({ startsAt, endsAt }) => ({ startsAt: new Date(startsAt), endsAt: new Date(endsAt) }))
  .superRefine(checkOrder);

function toSeason({ startsAt, endsAt, timeZone }: Times): Season | null {
  const start = parseLocalTime(startsAt, timeZone);
  const end = parseLocalTime(endsAt, timeZone);
  return start instanceof Date && end instanceof Date ? { startsAt: start, endsAt: end } : null;
}

/** Makes a new board from its fields and, for a season, its times. */
export function toNewBoard(
  { kind, slug, name, timeZone, isPublic }: z.output<typeof NewBoardFields>,
  season: Season | null,
): NewBoard {
  const isSeason = kind === "season";
  return {
    kind,
    slug: isSeason ? slug : null,
    name,
    timeZone,
    isPublic,
    season: isSeason ? season : null,
  };
}

/** Makes a new board from the form. */
export function readNewBoard(inputs: z.output<typeof NewBoardInputs>): NewBoard {
  return toNewBoard(inputs, toSeason(inputs));
}

/**
 * Makes a board's change from the form.
 * @param before the times that the board has
 */
export function readBoardChange(inputs: z.output<typeof BoardInputs>, before: Season): BoardChange {
  const { name, isPublic, timeZone } = inputs;
  const season = toSeason(inputs);
  const keep = (field: keyof Season, read: Date) =>
    keepMoment(before[field], read, inputs[field], timeZone);
  return {
    ...{ name, isPublic },
    season: season && {
      startsAt: keep("startsAt", season.startsAt),
      endsAt: keep("endsAt", season.endsAt),
    },
  };
}
