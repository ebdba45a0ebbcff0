/** The ids of Harbour, a point system with a reward of each kind, as its pages' addresses name them. */
export const HARBOUR = {
  pointSystemId: "11111111-1111-4111-8111-111111111111",
  triggerKey: "daily_login",
  address: "0x00000000000000000000000000000000000000aa",
  importId: "33333333-3333-4333-8333-333333333333",
  webhookId: "55555555-5555-4555-8555-555555555555",
  seq: "7",
  board: "weekly",
  rewardId: "22222222-2222-4222-8222-222222222222",
  "gift-cards/rewardId": "44444444-4444-4444-8444-444444444444",
} as const;

/** Makes the fixture of Harbour, which an operator of the same file owns. */
export const createHarbour = (operator: string) => ({
  operator,
  id: HARBOUR.pointSystemId,
  name: "Harbour",
  slug: "harbour",
  triggers: [{ name: "Daily", key: HARBOUR.triggerKey, points: 10, active: true }],
  events: [{ address: HARBOUR.address, points: 10, event: HARBOUR.triggerKey }],
  rewards: [
    {
      kind: "giftcard",
      id: HARBOUR["gift-cards/rewardId"],
      campaignName: "Harbour cards",
      status: "distributed",
      tiers: [{ label: "Gold", cards: [{ address: HARBOUR.address, code: "HARBOUR-CODE" }] }],
    },
    {
      kind: "token",
      id: HARBOUR.rewardId,
      campaignName: "Harbour season",
      tokenType: "ethereum",
      tokenSymbol: "ETH",
      tokenDecimals: 18,
      chainId: 84532,
      totalAmount: "10",
      status: "active",
    },
  ],
});
