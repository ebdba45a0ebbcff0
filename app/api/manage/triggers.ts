import { z } from "zod";
import { CREDIT_POINTS_MAX } from "../../domain/ledger/points";
import { CAP_MAX, CAP_WINDOWS } from "../../domain/point-systems/trigger-cap";
import {
  NewTriggerInputs,
  TriggerInputs,
  toTriggerFields,
} from "../../routes/dashboard/point-systems/trigger.inputs.server";
import {
  createTrigger,
  deleteTrigger,
  listTriggers,
  setTriggerActive,
  updateTrigger,
} from "../../services/point-systems/triggers";
import { toIso } from "../replies";
import { check, DONE, done, operation, orNull, plainText } from "./operation";

const Points = z.int().min(1).max(CREDIT_POINTS_MAX);

const variable = z.strictObject({
  min: Points.describe("The least points of a call"),
  max: Points.describe("The most points of a call"),
});

const CapLimit = z.int().min(1).max(CAP_MAX).nullable();

const capFields = {
  window: z.enum(CAP_WINDOWS).describe("The calendar window in which it counts"),
  timeZone: z.string().describe("The IANA time zone whose midnights begin and end the window"),
  times: CapLimit.describe("The most credits of a wallet in a window; null for any number"),
  points: CapLimit.describe("The most points of a wallet in a window; null for any number"),
};

const cap = z.strictObject({
  ...capFields,
  timeZone: capFields.timeZone.default("UTC").meta({ default: "UTC" }),
  times: capFields.times.default(null).meta({ default: null }),
  points: capFields.points.default(null).meta({ default: null }),
});

const key = plainText.describe("The trigger's key");

const fields = {
  name: z.string().describe("Its name: a line of 1 to 100 characters"),
  points: Points.describe("The points of a call, or those of a call that names none"),
  variable: orNull(variable, "The limits of variable points; null for fixed points"),
  cap: orNull(
    cap,
    "What a wallet can earn by it at most, with times or points or both; null for no cap",
  ),
};

type Fields = z.output<z.ZodObject<typeof fields>>;

/** Writes fields as the form of a trigger has them. */
const toForm = ({ name, points, variable: range, cap: limits }: Fields) => ({
  name,
  kind: range ? "variable" : "fixed",
  points: String(points),
  pointsMin: String(range?.min ?? points),
  pointsMax: String(range?.max ?? points),
  hasCap: limits ? "yes" : "no",
  capWindow: limits?.window ?? "daily",
  capTimeZone: limits?.timeZone ?? "UTC",
  capTimes: String(limits?.times ?? ""),
  capPoints: String(limits?.points ?? ""),
});

const example = {
  name: "Daily login",
  points: 10,
  variable: null,
  cap: { window: "daily" as const, timeZone: "Europe/Berlin", times: 1, points: null },
};

export const TRIGGER_OPERATIONS = {
  "manage/v1/triggers": operation("manage/v1/triggers", {
    name: "listTriggers",
    fields: {},
    failures: [],
    reply: z.strictObject({
      triggers: z
        .array(
          z.strictObject({
            key,
            ...fields,
            variable: variable.nullable().describe("Null for fixed points"),
            cap: z.strictObject(capFields).nullable().describe("Null for no cap"),
            isActive: z.boolean().describe("Whether calls of it are credited"),
            fires: z.int().nonnegative().describe("Its credits, a few seconds behind"),
            lastFiredAt: z.iso.datetime().nullable().describe("The time of the last one"),
          }),
        )
        .describe("All triggers, the active ones first"),
    }),
    example: {
      request: {},
      answer: {
        triggers: [
          {
            key: "daily_login",
            ...example,
            isActive: true,
            fires: 5120,
            lastFiredAt: "2026-01-02T03:04:05.000Z",
          },
        ],
      },
    },
    async handle(owner) {
      const triggers = await listTriggers(owner);
      return {
        triggers: triggers.map(({ lastFiredAt, ...trigger }) => ({
          ...trigger,
          lastFiredAt: toIso(lastFiredAt),
        })),
      };
    },
  }),
  "manage/v1/triggers/create": operation("manage/v1/triggers/create", {
    name: "createTrigger",
    fields: { key, ...fields },
    failures: ["trigger_key_taken", "too_many_triggers"],
    reply: z.strictObject({ key: z.string().describe("The key, in the form that calls use") }),
    notes: [
      "The key is made lowercase, and other characters than letters and digits become underscores.",
    ],
    example: {
      request: { key: "daily_login", ...example },
      answer: { key: "daily_login" },
    },
    async handle(owner, { key: typed, ...input }) {
      const { key: made, ...inputs } = check(NewTriggerInputs, { key: typed, ...toForm(input) });
      await createTrigger(owner, { key: made, ...toTriggerFields(inputs) });
      return { key: made };
    },
  }),
  "manage/v1/triggers/update": operation("manage/v1/triggers/update", {
    name: "updateTrigger",
    fields: { key, ...fields },
    failures: ["not_found"],
    reply: z.strictObject(done),
    notes: [
      "All fields are set. Events that it credited before keep their points, and count in a cap that comes later.",
    ],
    example: {
      request: { key: "daily_login", ...example, points: 20 },
      answer: { success: true },
    },
    async handle(owner, { key: id, ...input }) {
      await updateTrigger(owner, id, toTriggerFields(check(TriggerInputs, toForm(input))));
      return DONE;
    },
  }),
  "manage/v1/triggers/switch": operation("manage/v1/triggers/switch", {
    name: "switchTrigger",
    fields: { key, isActive: z.boolean().describe("Whether calls of it are credited") },
    failures: ["not_found"],
    reply: z.strictObject(done),
    example: { request: { key: "daily_login", isActive: false }, answer: { success: true } },
    async handle(owner, { key: id, isActive }) {
      await setTriggerActive(owner, id, isActive);
      return DONE;
    },
  }),
  "manage/v1/triggers/delete": operation("manage/v1/triggers/delete", {
    name: "deleteTrigger",
    fields: { key },
    failures: ["not_found"],
    reply: z.strictObject(done),
    example: { request: { key: "daily_login" }, answer: { success: true } },
    async handle(owner, { key: id }) {
      await deleteTrigger(owner, id);
      return DONE;
    },
  }),
};
