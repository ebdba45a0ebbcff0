import { z } from "zod";
import {
  CODE_PROBLEMS,
  DISTRIBUTION_RULES,
  GIFT_CARD_TIERS_MAX,
  type GiftCardTier,
} from "../../../domain/gift-cards/gift-card";
import { TOTAL_POINTS_MAX } from "../../../domain/ledger/points";
import { isPointsChoice } from "../../../domain/rewards/counted-points";
import { type ReadCodes, readGiftCodes } from "../../../services/gift-cards/code-lines";
import type { TierOutcome } from "../../../services/gift-cards/distribution";
import type { GiftCardTerms } from "../../../services/gift-cards/drafts";
import type { AddedCodes } from "../../../services/gift-cards/stock";
import { TitleInput } from "../../shared.inputs.server";

const TIER_LABEL_CHARACTERS_MAX = 100;
/** The most refused lines that a notice lists: a notice is short. */
const LINES_TOLD_MAX = 3;

/**
 * A reward's name, points and tiers: labels and thresholds in parallel lists. Rows with neither are left out.
 */
export const GiftCardInputs = z
  .object({
    name: TitleInput,
    labels: z.array(z.string()),
    thresholds: z.array(z.string()),
    pointsCounted: z.string().refine(isPointsChoice, "Choose the points").default(""),
  })
  .superRefine((inputs, context) => {
    const { problem } = readTiers(inputs);
    if (problem) context.addIssue({ code: "custom", path: ["labels"], message: problem });
  });

type Tiers = Pick<z.output<typeof GiftCardInputs>, "labels" | "thresholds">;

/** Makes the services' terms from valid `GiftCardInputs`. */
export function toTerms(inputs: z.output<typeof GiftCardInputs>): GiftCardTerms {
  const { name, pointsCounted } = inputs;
  return { name, pointsCounted, tiers: readTiers(inputs).tiers };
}

function readTiers({ labels, thresholds }: Tiers): { tiers: GiftCardTier[]; problem?: string } {
  const rows = labels
    .map((label, i) => ({ label: label.trim(), points: (thresholds[i] ?? "").trim() }))
    .filter(({ label, points }) => label !== "" || points !== "");
  const tiers: GiftCardTier[] = [];
  for (const [i, { label, points }] of rows.entries()) {
    const minPoints = /^[0-9]{1,16}$/.test(points) ? Number(points) : 0;
    const problem = findProblem(tiers, { label, minPoints });
    if (problem) return { tiers, problem: `Tier ${i + 1} ${problem}` };
    tiers.push({ label, minPoints });
  }
  if (tiers.length === 0) return { tiers, problem: "Add at least one tier" };
  if (tiers.length <= GIFT_CARD_TIERS_MAX) return { tiers };
  return { tiers, problem: `Use at most ${GIFT_CARD_TIERS_MAX} tiers` };
}

/** Finds the problem of a tier among the tiers before it, in words that follow its number. */
function findProblem(
  others: readonly GiftCardTier[],
  { label, minPoints }: GiftCardTier,
): string | null {
  if (label === "") return "needs a name";
  if (label.length > TIER_LABEL_CHARACTERS_MAX) return "needs a shorter name: 100 characters";
  if (/\p{Cc}/u.test(label)) return "needs a name on one line";
  if (others.some((tier) => tier.label === label)) return "has the same name as another tier";
  if (minPoints < 1 || minPoints > TOTAL_POINTS_MAX) return "needs whole points, 1 or more";
  return others.some((tier) => tier.minPoints === minPoints)
    ? "starts at the same points as another tier"
    : null;
}

/** A tier of the reward that the page shows. */
export const TierInput = z.object({ tier: z.string().min(1, "Choose a tier").max(200) });

/** The rule for tiers that have fewer cards than wallets. */
export const DistributionInputs = z.object({
  rule: z.enum(DISTRIBUTION_RULES, "Choose who gets a card"),
});

/**
 * The codes, pasted or as a file. By the names of these fields a form never sends them back: see
 * SECRET_FIELD in app/http/form.ts.
 */
export const CodesInputs = TierInput.extend({
  giftCodes: z.string(),
  giftCodesFile: z.string(),
  giftCodesFileName: z.string(),
})
  // Without a file, browsers send an empty file without a name.
  .refine(
    ({ giftCodes, giftCodesFileName }) => giftCodesFileName !== "" || giftCodes.trim() !== "",
    { path: ["giftCodes"], message: "Paste at least one code, or choose a file" },
  )
  .refine(
    ({ giftCodes, giftCodesFileName }) => giftCodesFileName === "" || giftCodes.trim() === "",
    { path: ["giftCodes"], message: "Either choose a file or paste codes, not both" },
  );

/** Picks the field that holds the codes, with a function that reads them. */
export function pickCodes({
  giftCodes,
  giftCodesFile,
  giftCodesFileName,
}: z.output<typeof CodesInputs>): { field: string; read: () => Promise<ReadCodes> } {
  if (giftCodesFileName === "") {
    return { field: "giftCodes", read: () => readGiftCodes(giftCodes, false) };
  }
  const isCsv = /\.csv$/i.test(giftCodesFileName);
  return { field: "giftCodesFile", read: () => readGiftCodes(giftCodesFile, isCsv) };
}

/** Describes the result of adding codes, in sentences that contain no code. */
export function describeCodes(
  tier: string,
  { headerLine, repeated, refused }: ReadCodes,
  { added, present }: AddedCodes,
): string {
  const told = refused
    .slice(0, LINES_TOLD_MAX)
    .map(({ line, problem }) => `line ${line.toLocaleString("en")} ${CODE_PROBLEMS[problem]}`);
  const more = refused.length - told.length;
  return [
    added > 0 ? `${countCodes(added)} added to ${tier}.` : `No code was added to ${tier}.`,
    headerLine !== null && `Line ${headerLine.toLocaleString("en")} is a header and left out.`,
    present > 0 && `${countCodes(present)} in this reward already.`,
    repeated > 0 &&
      `${repeated.toLocaleString("en")} ${repeated === 1 ? "line repeats" : "lines repeat"} another.`,
    refused.length > 0 &&
      `${countCodes(refused.length)} refused: ${told.join(", ")}${more > 0 ? `, and ${more.toLocaleString("en")} more` : ""}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function countCodes(count: number): string {
  return count === 1 ? "1 code is" : `${count.toLocaleString("en")} codes are`;
}

/** Describes the result of a distribution, in sentences. */
export function describeDistribution({
  assigned,
  tiers,
}: {
  assigned: number;
  tiers: readonly TierOutcome[];
}): string {
  const without = tiers.reduce((sum, tier) => sum + tier.eligible - tier.assigned, 0);
  const given = assigned === 1 ? "1 card is" : `${assigned.toLocaleString("en")} cards are`;
  if (without === 0) return `${given} distributed.`;
  const wallets = without === 1 ? "1 wallet" : `${without.toLocaleString("en")} wallets`;
  return `${given} distributed. The codes did not reach ${wallets}.`;
}
