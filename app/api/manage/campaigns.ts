import { z } from "zod";
import { type Campaign, isSplit, TOKEN_DECIMALS_MAX } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import { POINTS_BOARD_PATTERN } from "../../domain/rewards/counted-points";
import { TOKEN_TYPES } from "../../domain/rewards/reward";
import { formatTokenAmount } from "../../domain/rewards/token-amount";
import { parseUuid } from "../../domain/uuid";
import { CampaignInputs, toDraft } from "../../routes/dashboard/campaigns/campaign.inputs.server";
import { digestTerms, getCampaign } from "../../services/campaigns/campaigns";
import { createDraft, deleteDraft, publish, updateDraft } from "../../services/campaigns/steps";
import type { CampaignDraft } from "../../services/campaigns/terms";
import { listRewardEntries } from "../../services/rewards/list";
import { AddressReply, toIso } from "../replies";
import {
  check,
  DONE,
  done,
  olderParameter,
  olderReply,
  operation,
  orNull,
  readOlder,
} from "./operation";

const EXAMPLE_ID = "d3e4f506-1728-493a-8b4c-5d6e7f809102";
const TERMS_FAILURES = [
  "sandbox_needs_testnet",
  "token_unreadable",
  "chain_unavailable",
  "token_details_missing",
  "token_amount_invalid",
  "token_amount_too_large",
  "deadline_passed",
  "board_not_found",
  "points_campaign_unknown",
] as const;
const MOVED = ["not_found", "campaign_moved_on"] as const;

const rewardId = { rewardId: z.string().min(1).describe("The campaign's UUID") };

const fields = {
  name: z.string().describe("The name that holders see: a line of 1 to 100 characters"),
  tokenType: z.enum(TOKEN_TYPES).describe("ethereum is a chain's own coin; custom any ERC-20"),
  chainId: orNull(
    z.int().min(1).max(99_999_999),
    "5031, 50312, 8453 or 84532; null for a coin elsewhere",
  ),
  tokenAddress: orNull(z.string(), "The ERC-20 token's contract; null for a coin"),
  tokenSymbol: orNull(z.string(), "The token's symbol, where the service cannot read the chain"),
  tokenDecimals: orNull(
    z.int().min(0).max(TOKEN_DECIMALS_MAX),
    "The token's decimals, where the service cannot read the chain",
  ),
  totalAmount: z.string().describe("Whole tokens for all wallets together, in plain digits"),
  minPoints: z.int().min(0).describe("The fewest points that earn a share"),
  maxPoints: orNull(z.int().min(1), "Points over it count as it; null when all points count"),
  deadline: orNull(z.iso.datetime(), "The end of claims; null for none"),
  pointsBoard: orNull(
    z.string().regex(POINTS_BOARD_PATTERN),
    "The ended board whose points count, such as weekly:2026-W47 or season:spring, or balance for points that are not spent; null for all points",
  ),
  pointsAfter: orNull(
    z.uuid(),
    "The id of a campaign: points count that neither it nor its further rounds counted; null for all points",
  ),
};

const CampaignReply = z.strictObject({
  id: z.uuid().describe("The campaign's UUID"),
  campaignId: z.string().describe("A short id for people: CMP-…"),
  name: z.string().describe("The name that holders see"),
  status: z.string().describe("draft, active, distributed, ended or cancelled"),
  tokenType: z.enum(TOKEN_TYPES).describe("The kind of token"),
  chainId: z.int().nullable().describe("The chain of claims; null for a coin elsewhere"),
  tokenAddress: AddressReply.nullable().describe("The token's contract; null for a coin"),
  tokenSymbol: z.string().describe("The token's symbol"),
  tokenDecimals: z.int().nonnegative().describe("The token's decimals"),
  totalAmount: z.string().describe("Whole tokens for all wallets together, exact"),
  minPoints: z.int().nonnegative().describe("The fewest points that earn a share"),
  maxPoints: z.int().positive().nullable().describe("Points over it count as it; null for none"),
  deadline: z.iso.datetime().nullable().describe("The end of claims; null for none"),
  pointsBoard: z
    .string()
    .nullable()
    .describe("The board whose points count, or balance; null for all points"),
  pointsAfter: z
    .uuid()
    .nullable()
    .describe("The first campaign of its family, in which no point counts twice; null for none"),
  createdAt: z.iso.datetime().describe("The time of its creation"),
  publishedAt: z.iso.datetime().nullable().describe("The time of its publication"),
  onchainId: z.string().nullable().describe("Its id in the campaign contract; null before"),
  isSplit: z.boolean().describe("Whether its tokens are split among wallets"),
  terms: z.string().describe("A digest of the terms, by which publish knows what you saw"),
});

const toReply = (campaign: Campaign) => ({
  id: campaign.id,
  campaignId: campaign.campaignId,
  name: campaign.campaignName,
  status: campaign.status,
  tokenType: campaign.tokenType,
  chainId: campaign.chainId,
  tokenAddress: campaign.tokenAddress,
  tokenSymbol: campaign.tokenSymbol,
  tokenDecimals: campaign.tokenDecimals,
  totalAmount: formatTokenAmount(campaign.totalAmountWei, campaign.tokenDecimals),
  minPoints: campaign.minPoints,
  maxPoints: campaign.maxPoints,
  deadline: toIso(campaign.claimDeadline),
  pointsBoard: campaign.pointsBoard,
  pointsAfter: campaign.familyId,
  createdAt: campaign.createdAt.toISOString(),
  publishedAt: toIso(campaign.publishedAt),
  onchainId: campaign.airdrop?.onchainId?.toString() ?? null,
  isSplit: isSplit(campaign),
  terms: digestTerms(campaign),
});

/** Reads a draft by the rule of the form. A deadline is a moment, where the form asks for a place's time. */
function readDraft(input: z.output<z.ZodObject<typeof fields>>): CampaignDraft {
  const { chainId, tokenAddress, tokenSymbol, tokenDecimals, maxPoints, deadline } = input;
  const { pointsBoard, pointsAfter } = input;
  if (pointsBoard !== null && pointsAfter !== null) {
    throw new Failure("invalid_field", { name: "pointsAfter: Send it or pointsBoard" });
  }
  const inputs = check(CampaignInputs, {
    ...input,
    chainId: String(chainId ?? ""),
    tokenAddress: tokenAddress ?? "",
    tokenSymbol: tokenSymbol ?? "",
    tokenDecimals: String(tokenDecimals ?? ""),
    minPoints: String(input.minPoints),
    maxPoints: String(maxPoints ?? ""),
    deadline: "",
    timeZone: "UTC",
    pointsCounted: pointsBoard ?? pointsAfter ?? "",
  });
  return { ...toDraft(inputs), claimDeadline: deadline === null ? null : new Date(deadline) };
}

const exampleDraft = {
  name: "Season one",
  tokenType: "ethereum",
  chainId: 84532,
  totalAmount: "1000.5",
  minPoints: 100,
  deadline: "2030-01-31T00:00:00.000Z",
};

const example = {
  id: EXAMPLE_ID,
  campaignId: "CMP-7QXA2B",
  status: "draft",
  ...exampleDraft,
  tokenAddress: null,
  tokenSymbol: "ETH",
  tokenDecimals: 18,
  maxPoints: null,
  pointsBoard: null,
  pointsAfter: null,
  createdAt: "2026-01-02T03:04:05.000Z",
  publishedAt: null,
  onchainId: null,
  isSplit: false,
  terms: "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
};

export const CAMPAIGN_OPERATIONS = {
  "manage/v1/campaigns": operation("manage/v1/campaigns", {
    name: "listCampaigns",
    fields: { older: olderParameter },
    failures: ["invalid_field"],
    reply: z.strictObject({
      campaigns: z
        .array(
          z.strictObject({
            id: z.uuid().describe("The campaign's UUID"),
            campaignId: z.string().nullable().describe("A short id for people: CMP-…"),
            name: z.string().describe("The name that holders see"),
            status: z.string().describe("draft, active, distributed, ended or cancelled"),
            createdAt: z.iso.datetime().describe("The time of its creation"),
          }),
        )
        .describe("At most 50 campaigns of tokens, newest first"),
      older: olderReply,
    }),
    example: {
      request: {},
      answer: {
        campaigns: [
          {
            id: EXAMPLE_ID,
            campaignId: "CMP-7QXA2B",
            name: "Season one",
            status: "draft",
            createdAt: "2026-01-02T03:04:05.000Z",
          },
        ],
        older: null,
      },
    },
    async handle(owner, { older: from }) {
      const { rows, older } = await listRewardEntries(owner, readOlder(from, parseUuid));
      const campaigns = rows
        .filter(({ kind }) => kind === "token")
        .map(({ id, campaignId, campaignName: name, status, createdAt }) => ({
          id,
          campaignId,
          name,
          status,
          createdAt: createdAt.toISOString(),
        }));
      return { campaigns, older };
    },
  }),
  "manage/v1/campaign": operation("manage/v1/campaign", {
    name: "getCampaign",
    fields: rewardId,
    failures: ["not_found"],
    reply: CampaignReply,
    example: { request: { rewardId: EXAMPLE_ID }, answer: example },
    handle: async (owner, { rewardId: id }) => toReply(await getCampaign(owner, id)),
  }),
  "manage/v1/campaigns/draft": operation("manage/v1/campaigns/draft", {
    name: "draftCampaign",
    fields,
    failures: [...TERMS_FAILURES, "too_many_campaign_drafts"],
    reply: z.strictObject({
      id: z.uuid().describe("The campaign's UUID"),
      campaignId: z.string().describe("A short id for people: CMP-…"),
    }),
    notes: ["Only members of the point system see a draft."],
    example: { request: exampleDraft, answer: { id: EXAMPLE_ID, campaignId: "CMP-7QXA2B" } },
    handle: (owner, input) => createDraft(owner, readDraft(input)),
  }),
  "manage/v1/campaigns/change": operation("manage/v1/campaigns/change", {
    name: "changeCampaign",
    fields: { ...rewardId, ...fields },
    failures: [...MOVED, ...TERMS_FAILURES],
    reply: z.strictObject(done),
    notes: ["All fields are set. The terms of a published campaign stay as they are."],
    example: { request: { rewardId: EXAMPLE_ID, ...exampleDraft }, answer: DONE },
    async handle(owner, { rewardId: id, ...input }) {
      await updateDraft(owner, id, readDraft(input));
      return DONE;
    },
  }),
  "manage/v1/campaigns/delete": operation("manage/v1/campaigns/delete", {
    name: "deleteCampaign",
    fields: rewardId,
    failures: [...MOVED],
    reply: z.strictObject(done),
    notes: ["Only a draft can be deleted."],
    example: { request: { rewardId: EXAMPLE_ID }, answer: DONE },
    async handle(owner, { rewardId: id }) {
      await deleteDraft(owner, id);
      return DONE;
    },
  }),
  "manage/v1/campaigns/publish": operation("manage/v1/campaigns/publish", {
    name: "publishCampaign",
    fields: { ...rewardId, terms: z.string().describe("terms of the campaign as you read it") },
    failures: [
      ...MOVED,
      "campaign_changed",
      "deadline_passed",
      "board_not_found",
      "points_board_open",
    ],
    reply: z.strictObject(done),
    notes: [
      "From then on its terms are fixed, and GET /rewards lists it.",
      "What moves tokens is signed by an operator's wallet in the dashboard.",
    ],
    example: { request: { rewardId: EXAMPLE_ID, terms: example.terms }, answer: DONE },
    async handle(owner, { rewardId: id, terms }) {
      await publish(owner, id, terms);
      return DONE;
    },
  }),
};
