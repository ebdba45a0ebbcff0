import { z } from "zod";
import { listConfiguredChainIds } from "../../../chain/rpc/chains";
import type { CampaignValues } from "../../../components/dashboard/campaigns/fields";
import { parseAddress } from "../../../domain/address";
import {
  type CampaignTerms,
  isErc20,
  isForeignCoin,
  TOKEN_DECIMALS_MAX,
  TOKEN_SYMBOL_LENGTH_MAX,
} from "../../../domain/campaigns/campaign";
import { formatLocalTime, listTimeZones, parseLocalTime } from "../../../domain/local-time";
import { isPointsChoice } from "../../../domain/rewards/counted-points";
import { REWARD_CHAIN_IDS, TOKEN_TYPES } from "../../../domain/rewards/reward";
import {
  isRewardChainId,
  REWARD_CHAINS,
  type RewardChainId,
} from "../../../domain/rewards/reward-chain";
import { formatTokenAmount } from "../../../domain/rewards/token-amount";
import type { CampaignDraft } from "../../../services/campaigns/terms";
import { listPointsChoices } from "../../../services/rewards/points-choice";
import {
  checkLocalTime,
  LocalTimeInput,
  TimeZoneInput,
  TitleInput,
} from "../../shared.inputs.server";

const POINTS_TEXT = "Enter a whole number, digits only";

const PointsInput = z
  .string()
  .trim()
  .regex(/^[0-9]{1,16}$/, POINTS_TEXT)
  .transform(Number)
  .refine(Number.isSafeInteger, "A wallet cannot have this many points");

/** An amount of whole tokens, as text: its base units depend on the token. */
const AmountInput = z
  .string()
  .trim()
  .min(1, "Enter an amount")
  .max(400, "Enter an amount with fewer digits");

/** The fields of a campaign's form. Fields that do not concern the chosen token are ignored. */
export const CampaignInputs = z
  .object({
    name: TitleInput,
    tokenType: z.enum(TOKEN_TYPES, "Choose an asset"),
    chainId: z.string().regex(/^[0-9]{0,8}$/, "Choose a chain"),
    tokenAddress: z.string().trim().max(100, "Enter an address"),
    tokenSymbol: z
      .string()
      .trim()
      .max(TOKEN_SYMBOL_LENGTH_MAX, `Use at most ${TOKEN_SYMBOL_LENGTH_MAX} characters`)
      .regex(/^\P{C}*$/u, "Use plain text"),
    tokenDecimals: z
      .string()
      .trim()
      .regex(/^[0-9]{0,3}$/, `Enter a whole number, 0 to ${TOKEN_DECIMALS_MAX}`)
      .refine(
        (text) => Number(text) <= TOKEN_DECIMALS_MAX,
        `Enter a whole number, 0 to ${TOKEN_DECIMALS_MAX}`,
      ),
    totalAmount: AmountInput,
    minPoints: PointsInput,
    maxPoints: z.union([z.literal("").transform(() => null), PointsInput], POINTS_TEXT),
    deadline: LocalTimeInput,
    timeZone: TimeZoneInput,
    pointsCounted: z.string().refine(isPointsChoice, "Choose the points").default(""),
  })
  .refine(
    ({ tokenType, chainId }) => isForeignCoin(tokenType) || isRewardChainId(Number(chainId)),
    {
      path: ["chainId"],
      message: "Choose a chain",
    },
  )
  .refine(({ tokenType, tokenAddress }) => !isErc20(tokenType) || parseAddress(tokenAddress), {
    path: ["tokenAddress"],
    message: "Enter an address: 0x and 40 hexadecimal digits",
  })
  .refine(({ maxPoints }) => maxPoints === null || maxPoints >= 1, {
    path: ["maxPoints"],
    message: "Enter 1 or more, or leave it empty",
  })
  .refine(({ minPoints, maxPoints }) => maxPoints === null || maxPoints >= minPoints, {
    path: ["maxPoints"],
    message: "Enter at least the minimum points. Below it, all wallets would get the same amount",
  })
  .superRefine(({ deadline, timeZone }, context) => {
    if (deadline !== "") checkLocalTime("deadline", deadline, timeZone, context);
  });

/** Makes a campaign's draft from valid fields. */
export function toDraft(inputs: z.output<typeof CampaignInputs>): CampaignDraft {
  const { tokenType, timeZone } = inputs;
  const chainId = Number(inputs.chainId);
  const moment = inputs.deadline === "" ? null : parseLocalTime(inputs.deadline, timeZone);
  return {
    campaignName: inputs.name,
    tokenType,
    chainId: isForeignCoin(tokenType) || !isRewardChainId(chainId) ? null : chainId,
    tokenAddress: isErc20(tokenType) ? parseAddress(inputs.tokenAddress) : null,
    typedSymbol: inputs.tokenSymbol,
    typedDecimals: inputs.tokenDecimals === "" ? null : Number(inputs.tokenDecimals),
    totalAmount: inputs.totalAmount,
    minPoints: inputs.minPoints,
    maxPoints: inputs.maxPoints,
    claimDeadline: moment instanceof Date ? moment : null,
    deadlineTimeZone: timeZone,
    pointsCounted: inputs.pointsCounted,
  };
}

/**
 * Lists the options that the form offers, apart from its values.
 * @param chainIds the chains that campaigns of the point system can use
 * @param values the draft's choices, which are offered in any case
 */
export async function listCampaignOptions(
  pointSystemId: string,
  chainIds: readonly RewardChainId[],
  { pointsCounted, timeZone }: Pick<CampaignValues, "pointsCounted" | "timeZone">,
) {
  const configuredChainIds = listConfiguredChainIds();
  return {
    points: await listPointsChoices(pointSystemId, "token", pointsCounted),
    configuredChainIds,
    timeZones: listTimeZones(timeZone),
    chains: chainIds.map((id) => {
      const { name, isTestnet } = REWARD_CHAINS[id];
      const notes = [
        isTestnet ? "test network" : null,
        configuredChainIds.includes(id) ? null : "not set up here",
      ].filter((note) => note !== null);
      return {
        value: String(id),
        label: notes.length === 0 ? name : `${name} (${notes.join(", ")})`,
      };
    }),
  };
}

/** Creates the values of a new campaign's form. */
export function createCampaignValues(chainIds: readonly RewardChainId[]): CampaignValues {
  const configured = listConfiguredChainIds().find((id) => chainIds.includes(id));
  return {
    name: "",
    tokenType: "custom",
    chainId: String(configured ?? chainIds[0]),
    tokenAddress: "",
    tokenSymbol: "",
    tokenDecimals: "",
    totalAmount: "",
    minPoints: "1",
    maxPoints: "",
    deadline: "",
    timeZone: "",
    pointsCounted: "",
  };
}

/** Writes a draft's terms as the values of its form. */
export function toCampaignValues(terms: CampaignTerms): CampaignValues {
  const { claimDeadline, tokenDecimals } = terms;
  const timeZone = terms.deadlineTimeZone ?? "";
  return {
    name: terms.campaignName,
    tokenType: terms.tokenType,
    chainId: String(terms.chainId ?? REWARD_CHAIN_IDS[0]),
    tokenAddress: terms.tokenAddress ?? "",
    tokenSymbol: terms.tokenAddress === null ? "" : terms.tokenSymbol,
    tokenDecimals: terms.tokenAddress === null ? "" : String(tokenDecimals),
    totalAmount: formatTokenAmount(terms.totalAmountWei, tokenDecimals),
    minPoints: String(terms.minPoints),
    maxPoints: terms.maxPoints === null ? "" : String(terms.maxPoints),
    deadline: claimDeadline ? formatLocalTime(claimDeadline, timeZone || "UTC") : "",
    timeZone,
    pointsCounted: terms.pointsBoard ?? terms.familyId ?? "",
  };
}

/** The digest of the terms that the operator saw. */
export const PublishInputs = z.object({ terms: z.string().max(64) });

/** The number of wallets in a merkle tree; empty for the service's choice. */
export const SplitInputs = z.object({
  bucketSize: z
    .string()
    .regex(/^[0-9]{0,7}$/, "Choose a size")
    .transform((text) => (text === "" ? null : Number(text)))
    .refine(
      (size) =>
        size === null || (size >= 128 && size <= 2 ** 20 && Number.isInteger(Math.log2(size))),
      "Choose a size",
    ),
});

export const CancelInputs = z.object({ confirmation: z.string().max(100) });

export const RoundInputs = z.object({ totalAmount: AmountInput });
