import { and, eq, sql } from "drizzle-orm";
import { bytesToHex, type Hex } from "viem";
import { hotQuery } from "../../db/client";
import { distributions, merkleBuckets } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { isRewardChainId } from "../../domain/rewards/reward-chain";
import { getMerkleProof, isProvable, isShareOf, isShareSettled } from "../trees/proofs";
import { chooseAirdrop, listContracts } from "./active-airdrop";

/** A wallet's share of an airdrop, with its proof. */
export interface ClaimProof {
  readonly distributionId: string;
  readonly amountWei: bigint;
  readonly merkleProof: readonly Hex[];
  /** The root of the share's tree, which the contract stores. */
  readonly root: Hex;
  readonly claimedAt: Date | null;
}

const selectProvableShare = hotQuery((db) => {
  const airdrop = chooseAirdrop(
    db,
    sql`${sql.placeholder("chainId")}::int`,
    sql`${sql.placeholder("onchainId")}::numeric`,
  ).as("airdrop");
  const share = db
    .select({
      id: distributions.id,
      amountWei: distributions.amountWei,
      bucket: distributions.bucket,
      leafIndex: distributions.leafIndex,
      claimedAt: distributions.claimedAt,
    })
    .from(distributions)
    .where(
      and(
        isShareOf(
          airdrop.pointSystemId,
          airdrop.rewardId,
          sql.param(sql.placeholder("address"), distributions.address),
        ),
        isShareSettled(),
      ),
    )
    .limit(1)
    .as("share");
  const tree = db
    .select({ root: merkleBuckets.root })
    .from(merkleBuckets)
    .where(
      and(
        eq(merkleBuckets.pointSystemId, airdrop.pointSystemId),
        eq(merkleBuckets.rewardId, airdrop.rewardId),
        eq(merkleBuckets.bucket, share.bucket),
        isProvable(merkleBuckets),
      ),
    )
    .limit(1)
    .as("tree");
  return db
    .select({
      pointSystemId: airdrop.pointSystemId,
      rewardId: airdrop.rewardId,
      distributionId: share.id,
      amountWei: share.amountWei,
      claimedAt: share.claimedAt,
      bucket: share.bucket,
      leafIndex: share.leafIndex,
      root: tree.root,
    })
    .from(airdrop)
    .leftJoinLateral(share, sql`true`)
    .leftJoinLateral(tree, sql`true`)
    .prepare("find_provable_share");
});

/**
 * Finds a wallet's share of an active airdrop and computes its proof.
 * @param chainId any number; only reward chains have airdrops
 * @throws {Failure} `airdrop_not_found`, `address_not_eligible`, `proof_not_built`
 */
export async function getClaimProof(
  chainId: number,
  onchainId: bigint,
  address: Address,
): Promise<ClaimProof> {
  if (!isRewardChainId(chainId)) throw new Failure("airdrop_not_found");
  const [found] = await selectProvableShare({
    chainId,
    onchainId: onchainId.toString(),
    address,
    ...listContracts(),
  });
  if (!found) throw new Failure("airdrop_not_found");
  const { pointSystemId, rewardId, distributionId, amountWei, claimedAt } = found;
  if (distributionId === null || amountWei === null) throw new Failure("address_not_eligible");
  const { bucket, leafIndex, root } = found;
  if (bucket === null || leafIndex === null || !root) throw new Failure("proof_not_built");
  const leaf = { pointSystemId, rewardId, bucket, leafIndex, root: bytesToHex(root) };
  const merkleProof = await getMerkleProof(leaf);
  return { distributionId, amountWei, claimedAt, merkleProof, root: leaf.root };
}
