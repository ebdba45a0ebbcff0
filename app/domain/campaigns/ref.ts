/** The bytes32 by which a campaign's creation on chain names its reward: the UUID, then zeros. */
export type CampaignRef = `0x${string}`;

/**
 * Makes the argument `ref` of `create`.
 * @param rewardId a UUID
 * @example toCampaignRef("11111111-…") // "0x1111111111…0000"
 */
export function toCampaignRef(rewardId: string): CampaignRef {
  return `0x${rewardId.replaceAll("-", "").toLowerCase().padEnd(64, "0")}`;
}
