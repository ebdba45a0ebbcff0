import { and, desc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { bytesToHex, type Hex } from "viem";
import { hotQuery } from "../../db/client";
import { giftCards } from "../../db/schema/gift-cards";
import { pointSystems } from "../../db/schema/point-systems";
import { airdrops, distributions, merkleBuckets, rewards } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { isBucketOfShare, isProvable, isShareSettled, selectSharesOfWallet } from "../trees/proofs";
import { chooseAirdrop, isAirdropOpen, listContracts } from "./active-airdrop";
import { isRewardOfShare } from "./joins";

// Reads for GET /rewards/claim-status.

/** A wallet's share of an airdrop that is active on chain. */
export interface TokenClaim {
  readonly distributionId: string;
  readonly rewardId: string;
  readonly campaignName: string;
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly onchainId: bigint;
  readonly tokenAddress: Address | null;
  readonly tokenDecimals: number;
  readonly tokenSymbol: string;
  readonly claimDeadline: Date | null;
  readonly amountWei: bigint;
  readonly claimedAt: Date | null;
  readonly claimTxHash: Hex | null;
  /** Whether GET /rewards/proof answers with a proof. */
  readonly hasProof: boolean;
  readonly distributedAt: Date;
}

/** A gift card of a wallet, without its code. */
export interface GiftCardClaim {
  readonly distributionId: string;
  readonly rewardId: string;
  readonly campaignName: string;
  readonly tierLabel: string;
  readonly isRevealed: boolean;
  readonly claimedAt: Date | null;
  readonly distributedAt: Date;
}

/** The most entries of each kind. The answer has no pages, so older entries are not listed. */
const CLAIMS_MAX = 1_000;

const selectTokenClaims = hotQuery((db) => {
  const named = chooseAirdrop(db, sql`${airdrops.chainId}`, sql`${airdrops.onchainId}`).as("named");
  const tree = db
    .select({ bucket: merkleBuckets.bucket })
    .from(merkleBuckets)
    .where(and(isBucketOfShare(), isProvable(merkleBuckets)))
    .limit(1)
    .as("tree");
  return db
    .select({
      distributionId: distributions.id,
      rewardId: distributions.rewardId,
      campaignName: rewards.campaignName,
      chainId: airdrops.chainId,
      contractAddress: airdrops.contractAddress,
      onchainId: airdrops.onchainId,
      tokenAddress: rewards.tokenAddress,
      tokenDecimals: rewards.tokenDecimals,
      tokenSymbol: rewards.tokenSymbol,
      claimDeadline: rewards.claimDeadline,
      amountWei: distributions.amountWei,
      claimedAt: distributions.claimedAt,
      claimTxHash: distributions.claimTxHash,
      hasProof: sql<boolean>`${tree.bucket} is not null and ${named.rewardId} = ${distributions.rewardId}
        and ${named.pointSystemId} = ${distributions.pointSystemId}`,
      distributedAt: distributions.distributedAt,
    })
    .from(
      selectSharesOfWallet(
        db,
        sql.placeholder("pointSystemId"),
        sql.param(sql.placeholder("address"), distributions.address),
      ),
    )
    .innerJoin(
      pointSystems,
      and(eq(pointSystems.id, distributions.pointSystemId), isNull(pointSystems.deletedAt)),
    )
    .innerJoin(rewards, isRewardOfShare())
    .innerJoin(
      airdrops,
      and(
        eq(airdrops.pointSystemId, distributions.pointSystemId),
        eq(airdrops.rewardId, distributions.rewardId),
        isAirdropOpen(airdrops, rewards),
      ),
    )
    .leftJoinLateral(named, sql`true`)
    .leftJoinLateral(tree, sql`true`)
    .where(isShareSettled())
    .orderBy(desc(distributions.distributedAt), desc(distributions.id))
    .limit(CLAIMS_MAX)
    .prepare("list_token_claims");
});

/** Lists a wallet's shares of the airdrops that are active on chain, newest first. */
export async function listTokenClaims(
  pointSystemId: string,
  address: Address,
): Promise<TokenClaim[]> {
  const rows = await selectTokenClaims({ pointSystemId, address, ...listContracts() });
  return rows.map((row) => ({
    ...row,
    // The tables' constraints ensure that an active airdrop is on chain and that a token reward has
    // a token.
    contractAddress: row.contractAddress as Address,
    onchainId: row.onchainId as bigint,
    tokenDecimals: row.tokenDecimals as number,
    tokenSymbol: row.tokenSymbol as string,
    claimTxHash: row.claimTxHash && bytesToHex(row.claimTxHash),
  }));
}

const selectGiftCards = hotQuery((db) =>
  db
    .select({
      distributionId: giftCards.id,
      rewardId: giftCards.rewardId,
      campaignName: rewards.campaignName,
      tierLabel: giftCards.tierLabel,
      isRevealed: giftCards.isRevealed,
      claimedAt: giftCards.claimedAt,
      distributedAt: sql<Date>`${giftCards.distributedAt}`.mapWith(giftCards.distributedAt),
    })
    .from(giftCards)
    .innerJoin(
      pointSystems,
      and(eq(pointSystems.id, giftCards.pointSystemId), isNull(pointSystems.deletedAt)),
    )
    .innerJoin(
      rewards,
      and(
        eq(rewards.pointSystemId, giftCards.pointSystemId),
        eq(rewards.id, giftCards.rewardId),
        inArray(rewards.status, ["active", "distributed"]),
      ),
    )
    .where(
      and(
        eq(giftCards.pointSystemId, sql.placeholder("pointSystemId")),
        eq(giftCards.address, sql.param(sql.placeholder("address"), giftCards.address)),
        isNotNull(giftCards.distributedAt),
      ),
    )
    .orderBy(desc(giftCards.distributedAt), desc(giftCards.id))
    .limit(CLAIMS_MAX)
    .prepare("list_gift_card_claims"),
);

/** Lists a wallet's gift cards, newest first. */
export function listGiftCardClaims(
  pointSystemId: string,
  address: Address,
): Promise<GiftCardClaim[]> {
  return selectGiftCards({ pointSystemId, address });
}
