import type { EndpointProse } from "./prose-form";

// The words and examples of the endpoints about rewards and reputation.

const DATE = "2026-01-02T03:04:05.000Z";
const TOKEN = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const CONTRACT = "0x9b2d8f0c4a6e13579b2d8f0c4a6e13579b2d8f0c";
const REWARD_ID = "0d9b8a76-5c4e-4f3a-a2b1-9e8d7c6b5a40";
const SHARE_ID = "c1d2e3f4-a5b6-4c7d-8e9f-0a1b2c3d4e5f";

export const REWARDS_PROSE = {
  rewards: {
    operationId: "listRewards",
    group: "Rewards",
    title: "List rewards",
    use: "Call it to show a point system's token rewards, or with address a wallet's part in each: eligible, claimed or unavailable.",
    avoid:
      "For exact amounts and for claims, call GET /rewards/claim-status: it has base units as texts, and gift cards.",
    notes: [
      "The newest 1,000 token rewards that are active or distributed.",
      "Amounts are numbers of whole tokens, and so rounded for more than 15 digits.",
      "A wallet is in no list of a reward that it can no longer claim.",
    ],
    request: ({ pointSystemId, wallet }) => ({ pointSystemId, address: wallet }),
    answer: ({ wallet }) => ({
      address: wallet,
      totalPoints: 1280,
      rewards: {
        eligible: [
          {
            id: REWARD_ID,
            campaignName: "Season one",
            totalAmount: 1000.5,
            allocatedAmount: 400.25,
            status: "distributed",
            claimDeadline: null,
          },
        ],
        claimed: [],
        unavailable: [
          {
            id: "1e0c9b87-6d5f-4a4b-b3c2-0f9e8d7c6b51",
            campaignName: "Captains",
            minPoints: 5000,
            pointsNeeded: 3720,
            status: "active",
            reason: "points_missing",
          },
        ],
      },
    }),
  },
  "rewards/claim-status": {
    operationId: "getClaimStatus",
    group: "Rewards",
    title: "Read a wallet's claims",
    use: "Call it, from a backend or a web page, to learn what a wallet can claim and has claimed. Its token entries lead to GET /rewards/proof.",
    avoid:
      "To show rewards that a wallet has not earned yet, call GET /rewards. An unknown point system is answered with an empty list, not with an error.",
    notes: [
      "No key. Pages of any origin may call it.",
      "60 calls in any 60 seconds for one network, together with GET /rewards/proof. The next one answers 429 with Retry-After.",
      "A gift card's code is never answered: its holder sees it on the claim page.",
    ],
    request: ({ wallet, pointSystemId }) => ({ address: wallet, pointSystemId }),
    answer: ({ onchainId, chainId }) => ({
      distributions: [
        {
          kind: "token",
          distributionId: SHARE_ID,
          rewardId: REWARD_ID,
          campaignName: "Season one",
          chainId,
          contractAddress: CONTRACT,
          onchainId,
          tokenAddress: TOKEN,
          tokenDecimals: 18,
          tokenSymbol: "HRB",
          claimDeadline: null,
          amountWei: "400250000000000000000",
          claimedAt: null,
          claimTxHash: null,
          hasProof: true,
          distributedAt: DATE,
        },
      ],
    }),
  },
  "rewards/proof": {
    operationId: "getProof",
    group: "Rewards",
    title: "Read a proof",
    use: "Call it just before a claim. The amount and the proof go to the campaign contract as they are.",
    avoid: "Do not call it for every reward to find shares: GET /rewards/claim-status lists them.",
    notes: [
      "No key. Pages of any origin may call it.",
      "60 calls in any 60 seconds for one network, together with GET /rewards/claim-status.",
      "Only airdrops that are active and before their deadline answer.",
      "The leaf is keccak256(keccak256(abi.encode(address, uint256))), as in OpenZeppelin's StandardMerkleTree.",
    ],
    request: ({ onchainId, chainId, wallet }) => ({ onchainId, chainId, address: wallet }),
    answer: () => ({
      distributionId: SHARE_ID,
      amount: "400250000000000000000",
      merkleProof: [
        "0x4f1d9b8c7a6e5d4c3b2a190817263544536271809f8e7d6c5b4a39281706f5e4",
        "0x9e8d7c6b5a493827160594837261504938271605f4e3d2c1b0a9988776655443",
      ],
      claimedAt: null,
    }),
  },
  score: {
    operationId: "getScore",
    group: "Reputation",
    title: "Read a score",
    use: "Call it to weigh a wallet before you reward it: age, activity, names and signals of bots on nine public chains, as 0 to 100.",
    avoid: "It knows nothing of a point system's points; GET /points does.",
    notes: [
      "A score is kept for 30 days. force=true computes a new one, at most one a minute for an address.",
      "While a chain does not answer, missingChains names it, and the score is a lower bound that is kept for 15 minutes.",
      "finalScore is age_factor × activity_factor × 100 plus bonuses, less penalties, between 0 and 100.",
    ],
    request: ({ wallet }) => ({ address: wallet }),
    answer: ({ wallet }) => ({
      id: "5b6c7d8e-9fa0-4b1c-8d2e-3f4a5b6c7d8e",
      address: wallet,
      finalScore: 58.4,
      breakdown: {
        age_factor: 0.81,
        activity_factor: 0.62,
        wallet_age_days: 1183,
        total_txs: 1240,
        chains_active: 4,
        last_tx_days_ago: 2,
      },
      bonuses: { ens: 5, multichain: 3, rewards: 0.18 },
      penalties: { recency: 0, humanity: 0, bot: 0 },
      dataSources: { explorer: true, rewards: true },
      cached: true,
      cachedAt: DATE,
    }),
  },
} as const satisfies Record<string, EndpointProse>;
