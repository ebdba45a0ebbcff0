import { z } from "zod";
import { BOARD_KINDS } from "../../domain/board/board-kind";
import { readBoardKey, toBoardName } from "../../domain/board/board-reference";
import {
  NewBoardFields,
  SeasonTimes,
  toNewBoard,
} from "../../routes/dashboard/board/boards.inputs.server";
import { listBoards } from "../../services/board/board-list";
import {
  createBoard,
  deleteBoard,
  endBoard,
  type Season,
  updateBoard,
} from "../../services/board/boards";
import { check, DONE, done, moment, operation, orNull, plainText } from "./operation";

const board = plainText.describe(
  "The board as calls name it: daily, weekly, monthly or season:SLUG",
);

const fields = {
  name: z.string().describe("Its name: a line of 1 to 100 characters"),
  isPublic: z.boolean().describe("Whether the public leaderboard shows it"),
};

const times = {
  startsAt: orNull(moment, "The start of a season; null for a board that repeats"),
  endsAt: orNull(moment, "The end of a season; null for a board that repeats"),
};

const readSeason = (input: { startsAt: string | null; endsAt: string | null }): Season | null =>
  input.startsAt === null && input.endsAt === null ? null : check(SeasonTimes, input);

const example = { name: "Spring season", isPublic: true };
const exampleTimes = { startsAt: "2030-03-01T00:00:00.000Z", endsAt: "2030-06-01T00:00:00.000Z" };

export const BOARD_OPERATIONS = {
  "manage/v1/boards": operation("manage/v1/boards", {
    name: "listBoards",
    fields: {},
    failures: [],
    reply: z.strictObject({
      boards: z
        .array(
          z.strictObject({
            board: z.string().describe("Its name in calls, as in board=weekly"),
            kind: z.enum(BOARD_KINDS).describe("How long its windows are"),
            ...fields,
            timeZone: z.string().describe("The time zone whose midnights begin its windows"),
            state: z
              .enum(["scheduled", "open", "ended", "filling"])
              .describe("filling while events before its creation are counted"),
            window: z.string().nullable().describe("The present window; null for a season"),
            startsAt: z.iso.datetime().describe("The start of the present window"),
            endsAt: z.iso.datetime().describe("Its end: events from then on do not count"),
          }),
        )
        .describe("Those that repeat, then the seasons, the newest first"),
    }),
    example: {
      request: {},
      answer: {
        boards: [
          {
            board: "season:spring",
            kind: "season",
            ...example,
            timeZone: "Europe/Berlin",
            state: "scheduled",
            window: null,
            ...exampleTimes,
          },
        ],
      },
    },
    async handle({ pointSystemId }) {
      const boards = await listBoards(pointSystemId);
      return {
        boards: boards.map((one) => ({
          board: toBoardName(one.kind, one.slug),
          kind: one.kind,
          name: one.name,
          isPublic: one.isPublic,
          timeZone: one.timeZone,
          state: one.state,
          window: one.label || null,
          startsAt: one.startsAt.toISOString(),
          endsAt: one.endsAt.toISOString(),
        })),
      };
    },
  }),
  "manage/v1/boards/create": operation("manage/v1/boards/create", {
    name: "createBoard",
    fields: {
      kind: z.enum(BOARD_KINDS).describe("How long its windows are"),
      slug: orNull(plainText, "A season's name in calls; null for other boards"),
      ...fields,
      timeZone: plainText.describe("An IANA time zone, such as Europe/Berlin"),
      ...times,
    },
    failures: ["board_taken", "too_many_boards", "board_archived"],
    reply: z.strictObject({ board: z.string().describe("Its name in calls") }),
    notes: [
      "A board that repeats begins with the present day, week or month. Events of the window that are there already count.",
      "While many events are counted, the board is filling, and reading it answers 503.",
    ],
    example: {
      request: {
        kind: "season",
        slug: "spring",
        ...example,
        timeZone: "Europe/Berlin",
        ...exampleTimes,
      },
      answer: { board: "season:spring" },
    },
    async handle(owner, { slug, isPublic, startsAt, endsAt, ...input }) {
      const shown = isPublic ? "yes" : "no";
      const made = check(NewBoardFields, { ...input, slug: slug ?? "", isPublic: shown });
      const season = made.kind === "season" ? check(SeasonTimes, { startsAt, endsAt }) : null;
      await createBoard(owner, toNewBoard(made, season));
      return { board: toBoardName(made.kind, made.slug) };
    },
  }),
  "manage/v1/boards/update": operation("manage/v1/boards/update", {
    name: "updateBoard",
    fields: { board, ...fields, ...times },
    failures: ["not_found", "board_ended", "board_begun"],
    reply: z.strictObject(done),
    notes: [
      "Without startsAt and endsAt, the times of a season stay. The start of one that has begun must stay as it is.",
    ],
    example: {
      request: { board: "season:spring", ...example, ...exampleTimes },
      answer: { success: true },
    },
    async handle(owner, { board: named, name, isPublic, startsAt, endsAt }) {
      const checked = check(NewBoardFields, {
        ...{ name, isPublic: isPublic ? "yes" : "no" },
        ...{ kind: "daily", timeZone: "UTC" },
      });
      await updateBoard(owner, readBoardKey(named), {
        name: checked.name,
        isPublic: checked.isPublic,
        season: readSeason({ startsAt, endsAt }),
      });
      return DONE;
    },
  }),
  "manage/v1/boards/end": operation("manage/v1/boards/end", {
    name: "endBoard",
    fields: { board },
    failures: ["not_found", "board_ended"],
    reply: z.strictObject(done),
    notes: ["Its past windows and the one that ends now stay readable."],
    example: { request: { board: "weekly" }, answer: { success: true } },
    async handle(owner, { board: named }) {
      await endBoard(owner, readBoardKey(named));
      return DONE;
    },
  }),
  "manage/v1/boards/delete": operation("manage/v1/boards/delete", {
    name: "deleteBoard",
    fields: { board },
    failures: ["not_found"],
    reply: z.strictObject(done),
    notes: ["Its past windows are gone as well. The ledger keeps its events."],
    example: { request: { board: "season:spring" }, answer: { success: true } },
    async handle(owner, { board: named }) {
      await deleteBoard(owner, readBoardKey(named));
      return DONE;
    },
  }),
};
