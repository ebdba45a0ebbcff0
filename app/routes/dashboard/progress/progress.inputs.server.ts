import { z } from "zod";
import { TRIGGER_KEY_LENGTH_MAX } from "../../../domain/point-systems/trigger-key";
import { BONUS_DAYS_MAX, BONUSES_MAX, type StreakBonus } from "../../../domain/progress/streak";
import { TIER_NAME_LENGTH_MAX, TIERS_MAX, type Tier } from "../../../domain/progress/tier";
import { TRIGGERS_MAX } from "../../../services/point-systems/triggers";
import type { NewStreak, StreakChange } from "../../../services/progress/streaks";
import { KeyInput, TimeZoneInput, TitleInput } from "../../shared.inputs.server";

/** Refuses a list in which two entries have the same value. */
function refuseTwins<Entry>(
  entries: readonly Entry[],
  field: keyof Entry & string,
  message: string,
  context: z.RefinementCtx,
): void {
  const seen = new Set<unknown>();
  for (const [i, entry] of entries.entries()) {
    if (seen.has(entry[field])) context.addIssue({ code: "custom", path: [i, field], message });
    seen.add(entry[field]);
  }
}

/** The tiers of a point system, the lowest first. */
export const TierList = z
  .array(
    z.object({
      name: TitleInput.max(TIER_NAME_LENGTH_MAX, `Use at most ${TIER_NAME_LENGTH_MAX} characters`),
      pointsMin: z
        .int("Enter a whole number from 0")
        .min(0, "Enter a whole number from 0")
        .max(Number.MAX_SAFE_INTEGER),
      color: z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^#[0-9a-f]{6}$/, "Enter # and six hexadecimal digits, such as #d4af37"),
    }),
  )
  .max(TIERS_MAX, `Use at most ${TIERS_MAX} tiers`)
  .superRefine((tiers, context) => {
    refuseTwins(tiers, "name", "Another tier has this name", context);
    refuseTwins(tiers, "pointsMin", "Another tier has these points", context);
  })
  .transform((tiers) => tiers.toSorted((a, b) => a.pointsMin - b.pointsMin));

/** The bonuses of a streak, the shortest first. */
export const BonusList = z
  .array(
    z.object({
      days: z
        .int(`Enter a whole number from 2 to ${BONUS_DAYS_MAX}`)
        .min(2, `Enter a whole number from 2 to ${BONUS_DAYS_MAX}`)
        .max(BONUS_DAYS_MAX, `Enter a whole number from 2 to ${BONUS_DAYS_MAX}`),
      triggerKey: z.string().min(1, "Choose a trigger").max(TRIGGER_KEY_LENGTH_MAX),
    }),
  )
  .max(BONUSES_MAX, `Use at most ${BONUSES_MAX} bonuses`)
  .superRefine((bonuses, context) =>
    refuseTwins(bonuses, "days", "Another bonus has this length", context),
  )
  .transform((bonuses) => bonuses.toSorted((a, b) => a.days - b.days));

/** Makes a number of typed digits; NaN for anything else. */
const toNumber = (text: string) => (/^\d{1,16}$/.test(text.trim()) ? Number(text) : Number.NaN);

const column = (rowsMax: number) => z.array(z.string().max(1_000)).max(rowsMax);

const tierColumns = {
  tierNames: column(TIERS_MAX),
  tierPoints: column(TIERS_MAX),
  tierColors: column(TIERS_MAX),
};
type TierColumns = z.output<z.ZodObject<typeof tierColumns>>;

/** Makes the rows of the form that are filled in, each with its place. */
const toTierRows = ({ tierNames, tierPoints, tierColors }: TierColumns) =>
  tierNames.flatMap((name, i) => {
    const points = tierPoints[i] ?? "";
    if (name.trim() === "" && points.trim() === "") return [];
    return [{ i, row: { name, pointsMin: toNumber(points), color: tierColors[i] ?? "" } }];
  });

/** Adds the problems of a list to a form's field, each with the number of its row. */
function addRowProblems(
  schema: z.ZodType,
  rows: readonly { readonly i: number; readonly row: object }[],
  field: string,
  context: z.RefinementCtx,
): void {
  const { error } = schema.safeParse(rows.map(({ row }) => row));
  for (const { path, message } of error?.issues ?? []) {
    const place = rows[Number(path[0])]?.i;
    const text = place === undefined ? message : `Row ${place + 1}: ${message}`;
    context.addIssue({ code: "custom", path: [field], message: text });
  }
}

/** The form of the tiers: a row for each. Empty rows are left out. */
export const TierInputs = z
  .object(tierColumns)
  .superRefine((inputs, context) =>
    addRowProblems(TierList, toTierRows(inputs), "tierNames", context),
  );

/** Makes the tiers of valid inputs. */
export const readTiers = (inputs: TierColumns): readonly Tier[] =>
  TierList.parse(toTierRows(inputs).map(({ row }) => row));

const bonusColumns = { bonusDays: column(BONUSES_MAX), bonusTriggers: column(BONUSES_MAX) };
type BonusColumns = z.output<z.ZodObject<typeof bonusColumns>>;

const toBonusRows = ({ bonusDays, bonusTriggers }: BonusColumns) =>
  bonusDays.flatMap((days, i) => {
    if (days.trim() === "") return [];
    return [{ i, row: { days: toNumber(days), triggerKey: bonusTriggers[i] ?? "" } }];
  });

const checkBonusRows = (inputs: BonusColumns, context: z.RefinementCtx) =>
  addRowProblems(BonusList, toBonusRows(inputs), "bonusDays", context);

const readBonuses = (inputs: BonusColumns): readonly StreakBonus[] =>
  BonusList.parse(toBonusRows(inputs).map(({ row }) => row));

/** The fields of a new streak as the management API has them. */
export const NewStreakFields = z.object({
  key: KeyInput,
  name: TitleInput,
  triggerKeys: z.array(z.string().max(TRIGGER_KEY_LENGTH_MAX)).min(1).max(TRIGGERS_MAX).nullable(),
  timeZone: TimeZoneInput,
  bonuses: BonusList,
});

/** The fields of a streak that can be changed, as the management API has them. */
export const StreakFields = NewStreakFields.pick({ name: true, bonuses: true });

/** The form of a streak's changes. */
export const StreakInputs = z
  .object({ name: TitleInput, ...bonusColumns })
  .superRefine(checkBonusRows);

/** Makes a streak's change from the form. */
export const readStreakChange = (inputs: z.output<typeof StreakInputs>): StreakChange => ({
  name: inputs.name,
  bonuses: readBonuses(inputs),
});

/** The form of a new streak. Chosen triggers are ignored when all count. */
export const NewStreakInputs = z
  .object({
    key: KeyInput,
    name: TitleInput,
    counts: z.enum(["all", "chosen"], "Choose what counts"),
    triggerKeys: z.array(z.string().max(TRIGGER_KEY_LENGTH_MAX)).max(TRIGGERS_MAX),
    timeZone: TimeZoneInput,
    ...bonusColumns,
  })
  .superRefine((inputs, context) => {
    checkBonusRows(inputs, context);
    if (inputs.counts === "all" || inputs.triggerKeys.length > 0) return;
    context.addIssue({ code: "custom", path: ["triggerKeys"], message: "Choose a trigger" });
  });

/** Makes a new streak from the form. */
export const readNewStreak = (inputs: z.output<typeof NewStreakInputs>): NewStreak => ({
  key: inputs.key,
  name: inputs.name,
  triggerKeys: inputs.counts === "all" ? null : [...new Set(inputs.triggerKeys)],
  timeZone: inputs.timeZone,
  bonuses: readBonuses(inputs),
});
