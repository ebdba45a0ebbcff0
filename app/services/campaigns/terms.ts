import { eq } from "drizzle-orm";
import { readToken } from "../../chain/campaigns/token";
import { listConfiguredChainIds } from "../../chain/rpc/chains";
import { withDatabase } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import type { Address } from "../../domain/address";
import {
  BUCKET_AMOUNT_MAX_WEI,
  type CampaignTerms,
  FOREIGN_COINS,
  isErc20,
  isForeignCoin,
} from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import { describeCountedPoints } from "../../domain/rewards/counted-points";
import type { TokenType } from "../../domain/rewards/reward";
import {
  listChainIdsFor,
  REWARD_CHAINS,
  type RewardChainId,
} from "../../domain/rewards/reward-chain";
import { formatTokenAmount, parseTokenAmount } from "../../domain/rewards/token-amount";
import { settlePoints } from "../rewards/points-choice";

/** A campaign as an operator describes it, before its token is read from the chain. */
export interface CampaignDraft {
  readonly campaignName: string;
  readonly tokenType: TokenType;
  /** The chain of the token; null only for foreign coins. */
  readonly chainId: RewardChainId | null;
  /** The address of an ERC-20 token; null otherwise. */
  readonly tokenAddress: Address | null;
  /** The token's symbol as typed, for a chain that is not configured here. */
  readonly typedSymbol: string;
  readonly typedDecimals: number | null;
  /** The amount in whole tokens, as it was typed. Its value depends on the token's decimals. */
  readonly totalAmount: string;
  readonly minPoints: number;
  readonly maxPoints: number | null;
  readonly claimDeadline: Date | null;
  readonly deadlineTimeZone: string | null;
  /** The points that count, as `settlePoints` reads them; empty, or absent, for all. */
  readonly pointsCounted?: string;
}

/**
 * Makes terms from an operator's draft for a point system: reads the token from the chain, and the amount by its
 * decimals.
 * @throws {Failure} `board_not_found`, `points_campaign_unknown`, `sandbox_needs_testnet`, `token_unreadable`, `chain_unavailable`, `token_details_missing`,
 *   `token_amount_invalid`, `token_amount_too_large`, `deadline_passed`; each names its field
 */
export async function settleTerms(
  pointSystemId: string,
  draft: CampaignDraft,
): Promise<CampaignTerms> {
  const { campaignName, tokenType, minPoints, maxPoints, claimDeadline } = draft;
  checkDeadline(claimDeadline);
  if (
    draft.chainId !== null &&
    !(await listCampaignChainIds(pointSystemId)).includes(draft.chainId)
  ) {
    throw new Failure("sandbox_needs_testnet", { field: "chainId" });
  }
  const points = await settlePoints(pointSystemId, "token", draft.pointsCounted ?? "");
  const token = await settleToken(draft);
  const isOnChain = token.chainId !== null;
  return {
    campaignName,
    tokenType,
    ...token,
    ...points,
    totalAmountWei: parseAmount(draft.totalAmount, { ...token, isOnChain }),
    minPoints,
    maxPoints,
    claimDeadline,
    deadlineTimeZone: claimDeadline && draft.deadlineTimeZone,
  };
}

/** Lists the chains that campaigns of a point system can use. */
export async function listCampaignChainIds(pointSystemId: string): Promise<RewardChainId[]> {
  const [row] = await withDatabase((db) =>
    db
      .select({ isSandbox: pointSystems.isSandbox })
      .from(pointSystems)
      .where(eq(pointSystems.id, pointSystemId)),
  );
  return row ? listChainIdsFor(row) : [];
}

/**
 * Reads an amount of a campaign's token.
 * @throws {Failure} `token_amount_invalid`, `token_amount_too_large`, for the field `totalAmount`
 */
export function parseAmount(
  text: string,
  { tokenDecimals, isOnChain }: { tokenDecimals: number; isOnChain: boolean },
): bigint {
  const amountWei = parseTokenAmount(text, tokenDecimals);
  if (amountWei === null || amountWei === 0n) {
    throw new Failure("token_amount_invalid", {
      field: "totalAmount",
      name: String(tokenDecimals),
    });
  }
  if (isOnChain && amountWei > BUCKET_AMOUNT_MAX_WEI) {
    throw new Failure("token_amount_too_large", { field: "totalAmount" });
  }
  return amountWei;
}

/**
 * Checks that a deadline is in the future.
 * @throws {Failure} `deadline_passed`, for the field `deadline`
 */
export function checkDeadline(claimDeadline: Date | null): void {
  if (claimDeadline !== null && claimDeadline.getTime() <= Date.now()) {
    throw new Failure("deadline_passed", { field: "deadline" });
  }
}

/** Describes the terms for the audit log. */
export function describeTerms(terms: CampaignTerms): Readonly<Record<string, unknown>> {
  const { campaignName, tokenType, tokenAddress, tokenSymbol, tokenDecimals, chainId } = terms;
  return {
    name: campaignName,
    tokenType,
    tokenAddress,
    tokenSymbol,
    tokenDecimals,
    chainId,
    totalAmount: formatTokenAmount(terms.totalAmountWei, tokenDecimals),
    minPoints: terms.minPoints,
    maxPoints: terms.maxPoints,
    claimDeadline: terms.claimDeadline,
    ...describeCountedPoints(terms),
  };
}

type SettledToken = Pick<
  CampaignTerms,
  "tokenAddress" | "tokenSymbol" | "tokenDecimals" | "tokenReadAt" | "chainId"
>;

async function settleToken(draft: CampaignDraft): Promise<SettledToken> {
  const { tokenType, chainId, tokenAddress } = draft;
  if (isForeignCoin(tokenType)) {
    const { symbol, decimals } = FOREIGN_COINS[tokenType];
    return toToken(null, null, { symbol, decimals }, null);
  }
  if (chainId === null) throw new Error("The form asks for a chain");
  if (!isErc20(tokenType)) {
    const { nativeSymbol } = REWARD_CHAINS[chainId];
    return toToken(chainId, null, { symbol: nativeSymbol, decimals: 18 }, null);
  }
  if (tokenAddress === null) throw new Error("The form asks for a token's address");
  if (listConfiguredChainIds().includes(chainId)) {
    const details = await readTokenOfField(chainId, tokenAddress);
    return toToken(chainId, tokenAddress, details, new Date());
  }
  const { typedSymbol, typedDecimals } = draft;
  if (typedSymbol === "" || typedDecimals === null) {
    const field = typedSymbol === "" ? "tokenSymbol" : "tokenDecimals";
    throw new Failure("token_details_missing", { field });
  }
  return toToken(chainId, tokenAddress, { symbol: typedSymbol, decimals: typedDecimals }, null);
}

async function readTokenOfField(chainId: number, tokenAddress: Address) {
  try {
    return await readToken(chainId, tokenAddress);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, { ...error.details, field: "tokenAddress" });
  }
}

function toToken(
  chainId: number | null,
  tokenAddress: Address | null,
  { symbol, decimals }: { symbol: string; decimals: number },
  tokenReadAt: Date | null,
): SettledToken {
  return { chainId, tokenAddress, tokenSymbol: symbol, tokenDecimals: decimals, tokenReadAt };
}
