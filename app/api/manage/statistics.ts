import { z } from "zod";
import { toBoardName } from "../../domain/board/board-reference";
import { type ProgramWeek, TOP_WALLETS } from "../../domain/insights/program";
import { getProgram } from "../../services/insights/program";
import { parameters } from "../input";
import { operation } from "./operation";

const count = (words: string) => z.int().describe(words);

const week = {
  week: z.iso.date().describe("Its Monday; weeks and days are in UTC"),
  newWallets: count("Wallets whose first event lies in the week"),
  returningWallets: count("Wallets with an event in the week and an earlier one before it"),
  earnedPoints: count("Credits, grants and imports, without voided events"),
  spentPoints: count("Spends, without reversed ones"),
  boostPoints: count("The part of earnedPoints that boosts added"),
  cappedCalls: count("Calls that a cap refused"),
} satisfies Record<keyof ProgramWeek, z.ZodType>;

const season = {
  board: z.string().describe("Its name in calls, as in board=season:spring"),
  name: z.string().describe("Its name"),
  startsAt: z.iso.datetime().describe("Its start"),
  endsAt: z.iso.datetime().describe("Its end: events from then on do not count"),
  days: count("The days that it has"),
  daysPassed: count("Those of them that have passed"),
  wallets: count("The wallets on its board"),
  points: z
    .int()
    .nullable()
    .describe("The points that were earned in it; null while they are counted for the first time"),
  topShare: z
    .number()
    .nullable()
    .describe(`The part of them that the first ${TOP_WALLETS} wallets have, from 0 to 1`),
};

const exampleWeek = {
  ...{ week: "2030-03-04", newWallets: 120, returningWallets: 480, earnedPoints: 90500 },
  ...{ spentPoints: 1200, boostPoints: 4500, cappedCalls: 37 },
};

export const STATISTICS_OPERATIONS = {
  "manage/v1/statistics": operation("manage/v1/statistics", {
    name: "getStatistics",
    fields: { weeks: parameters.weeks },
    failures: [],
    reply: z.strictObject({
      weeks: z.array(z.strictObject(week)).describe("The oldest first, the present week last"),
      tiers: z
        .array(
          z.strictObject({
            name: z.string().nullable().describe("Null for wallets that have no tier yet"),
            pointsMin: z.int().nullable().describe("The least points of the tier"),
            wallets: count("The wallets of the all-time board that have it"),
          }),
        )
        .describe("The highest first; none without tiers"),
      seasons: z
        .array(z.strictObject(season))
        .describe("The newest five that have begun, the newest first"),
    }),
    notes: ["The figures of weeks and the points of seasons are some seconds behind the ledger."],
    example: {
      request: { weeks: 1 },
      answer: {
        weeks: [exampleWeek],
        tiers: [
          { name: "Gold", pointsMin: 1000, wallets: 240 },
          { name: null, pointsMin: null, wallets: 3100 },
        ],
        seasons: [
          {
            ...{ board: "season:spring", name: "Spring season" },
            ...{ startsAt: "2030-03-01T00:00:00.000Z", endsAt: "2030-06-01T00:00:00.000Z" },
            ...{ days: 92, daysPassed: 7, wallets: 600, points: 90500, topShare: 0.18 },
          },
        ],
      },
    },
    async handle({ pointSystemId }, { weeks: weeksCount }) {
      const { weeks, tiers, seasons } = await getProgram(pointSystemId, weeksCount);
      return {
        weeks: weeks.map((each) => ({ ...each })),
        tiers: tiers.map(({ tier, wallets }) => ({
          name: tier?.name ?? null,
          pointsMin: tier?.pointsMin ?? null,
          wallets,
        })),
        seasons: seasons.map(({ slug, startsAt, endsAt, ...each }) => ({
          ...each,
          board: toBoardName("season", slug),
          startsAt: startsAt.toISOString(),
          endsAt: endsAt.toISOString(),
        })),
      };
    },
  }),
};
