import { z } from "zod";
import {
  NewStreakFields,
  StreakFields,
  TierList,
} from "../../routes/dashboard/progress/progress.inputs.server";
import {
  createStreak,
  deleteStreak,
  listStreaks,
  updateStreak,
} from "../../services/progress/streaks";
import { listTiers, setTiers } from "../../services/progress/tiers";
import { check, DONE, done, operation, plainText } from "./operation";

const tiers = z
  .array(
    z.object({
      name: z.string().describe("Its name: a line of 1 to 40 characters"),
      pointsMin: z.int().describe("The least points of a wallet that has it, from 0"),
      color: z.string().describe("Its colour: # and six hexadecimal digits"),
    }),
  )
  .describe("At most 20, with different names and points");

const streakKey = plainText.describe("The streak's key");
const name = z.string().describe("Its name: a line of 1 to 100 characters");
const bonuses = z
  .array(
    z.object({
      days: z.int().describe("Days in a row, 2 to 1000"),
      triggerKey: plainText.describe("The trigger whose points are credited"),
    }),
  )
  .describe("At most 10, with different lengths");
const triggerKeys = z
  .array(plainText)
  .nullable()
  .describe("The triggers whose credits count; null for all");
const timeZone = plainText.describe("The IANA time zone of its days, such as Europe/Berlin");

const exampleTiers = [
  { name: "Bronze", pointsMin: 100, color: "#a05a2c" },
  { name: "Gold", pointsMin: 1000, color: "#d4af37" },
];
const change = (triggerKey: string) => ({
  name: "Daily visits",
  bonuses: [{ days: 7, triggerKey }],
});
const fixed = { key: "daily_visits", triggerKeys: null, timeZone: "Europe/Berlin" };

export const PROGRESS_OPERATIONS = {
  "manage/v1/tiers": operation("manage/v1/tiers", {
    name: "listTiers",
    fields: {},
    failures: [],
    reply: z.strictObject({ tiers }),
    example: { request: {}, answer: { tiers: exampleTiers } },
    async handle({ pointSystemId }) {
      return { tiers: await listTiers(pointSystemId) };
    },
  }),
  "manage/v1/tiers/set": operation("manage/v1/tiers/set", {
    name: "setTiers",
    fields: { tiers },
    failures: [],
    reply: z.strictObject(done),
    notes: [
      "The list replaces all tiers; an empty one removes them.",
      "No webhooks are sent: a wallet's change of tiers is said when its points change.",
    ],
    example: { request: { tiers: exampleTiers }, answer: { success: true } },
    async handle(owner, input) {
      const checked = check(z.object({ tiers: TierList }), input);
      await setTiers(owner, checked.tiers);
      return DONE;
    },
  }),
  "manage/v1/streaks": operation("manage/v1/streaks", {
    name: "listStreaks",
    fields: {},
    failures: [],
    reply: z.strictObject({
      streaks: z
        .array(z.strictObject({ key: streakKey, name, triggerKeys, timeZone, bonuses }))
        .describe("The oldest first"),
    }),
    example: {
      request: {},
      answer: { streaks: [{ ...fixed, ...change("daily_login") }] },
    },
    async handle({ pointSystemId }) {
      const streaks = await listStreaks(pointSystemId);
      return {
        streaks: streaks.map((streak) => ({
          key: streak.key,
          name: streak.name,
          triggerKeys: streak.triggerKeys && [...streak.triggerKeys],
          timeZone: streak.timeZone,
          bonuses: [...streak.bonuses],
        })),
      };
    },
  }),
  "manage/v1/streaks/create": operation("manage/v1/streaks/create", {
    name: "createStreak",
    fields: { key: streakKey, name, triggerKeys, timeZone, bonuses },
    failures: ["streak_taken", "too_many_streaks"],
    reply: z.strictObject(done),
    notes: [
      "Credits that are there already count as days, and reach no bonuses.",
      "Its key, triggers and time zone cannot be changed later.",
    ],
    example: {
      request: ({ triggerKey }) => ({ ...fixed, ...change(triggerKey) }),
      answer: { success: true },
    },
    async handle(owner, input) {
      await createStreak(owner, check(NewStreakFields, input));
      return DONE;
    },
  }),
  "manage/v1/streaks/update": operation("manage/v1/streaks/update", {
    name: "updateStreak",
    fields: { key: streakKey, name, bonuses },
    failures: ["not_found"],
    reply: z.strictObject(done),
    notes: ["New bonuses are paid to wallets that reach their lengths from now on."],
    example: {
      request: ({ triggerKey }) => ({ key: fixed.key, ...change(triggerKey) }),
      answer: { success: true },
    },
    async handle(owner, { key, ...input }) {
      await updateStreak(owner, key, check(StreakFields, input));
      return DONE;
    },
  }),
  "manage/v1/streaks/delete": operation("manage/v1/streaks/delete", {
    name: "deleteStreak",
    fields: { key: streakKey },
    failures: ["not_found"],
    reply: z.strictObject(done),
    notes: ["The days in a row of all wallets are gone. Bonuses that were paid stay."],
    example: { request: { key: fixed.key }, answer: { success: true } },
    async handle(owner, { key }) {
      await deleteStreak(owner, key);
      return DONE;
    },
  }),
};
