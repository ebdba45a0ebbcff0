import type { EndpointProse } from "./prose-form";

// The words and examples of the endpoints that credit points and read them.

const DATE = "2026-01-02T03:04:05.000Z";
const SPEND_ID = "3f6f0f3e-2f3c-4b58-9a5e-6d1c8e7b4a21";
const SECOND_WALLET = "0x8f3cf7ad23cd3cadbd9735aff958023239c6a063";

export const POINTS_PROSE = {
  trigger: {
    operationId: "creditPoints",
    group: "Crediting",
    title: "Credit points",
    use: "Call it from your backend when a wallet has done something that earns points. The trigger decides the points, so an operator can change them without a new release of yours.",
    avoid:
      "For many credits at once, send a batch. For points that were earned elsewhere, import a file in the dashboard. Never call it from a browser or an app: the key would be everybody's.",
    notes: [
      "10 credits in any 60 seconds for one key, wallet and trigger of a point system. Refused calls do not count. The next one answers 429 with Retry-After.",
      "The first credit creates the wallet's entry.",
      "With an Idempotency-Key, a repeated call credits nothing and repeats the first answer with the header Idempotent-Replayed: true. Keys are kept for at least 30 days, for each API key and point system.",
      "A trigger of fixed points ignores points. One of variable points credits them, or its default without them.",
      "The body has at most 16 KiB.",
    ],
    request: ({ triggerKey, wallet, pointSystemId }) => ({
      triggerKey,
      walletAddress: wallet,
      pointSystemId,
    }),
    headers: { "Idempotency-Key": "login-2026-01-02-5aed" },
    answer: ({ triggerKey, wallet }) => ({
      success: true,
      pointsAdded: 10,
      triggerKey,
      walletAddress: wallet,
    }),
  },
  "trigger/batch": {
    operationId: "creditBatch",
    group: "Crediting",
    title: "Credit a batch",
    use: "Call it to credit up to 1,000 calls of one point system at once: from a queue, a nightly job or a stream of events. Each item has a verdict of its own, and a refused one does not hold up the others.",
    avoid:
      "For one credit that a user waits for, POST /trigger says the same in a simpler answer. For more than some ten thousand rows at once, import a file in the dashboard.",
    notes: [
      "1 to 1,000 items, and at most 1 MiB.",
      "Each item counts towards the limit of its wallet and trigger, as a call of POST /trigger does.",
      "With atomic, every item is credited or none: the first refusal answers 409 with its code, and its place from 0 on as item.",
      "Give each item an idempotencyKey, and a whole call can be sent again after any error.",
    ],
    request: ({ triggerKey, wallet, pointSystemId }) => ({
      pointSystemId,
      items: [
        {
          triggerKey,
          walletAddress: wallet,
          idempotencyKey: "order-1843",
          metadata: { order: "1843", amount: 12.5 },
        },
        { triggerKey: "no_such_trigger", walletAddress: wallet },
      ],
    }),
    answer: ({ triggerKey, wallet }) => ({
      results: [
        { success: true, pointsAdded: 10, triggerKey, walletAddress: wallet },
        {
          success: false,
          error: "Trigger not found",
          message: "Trigger not found",
          code: "trigger_not_found",
        },
      ],
      credited: 1,
      refused: 1,
    }),
  },
  wallets: {
    operationId: "registerWallet",
    group: "Crediting",
    title: "Register a wallet",
    use: "Call it when a wallet joins and is to stand on the leaderboard with 0 points before its first credit.",
    avoid: "A wallet that is about to earn points needs no registration: its first credit does it.",
    notes: ["A repeated call changes nothing and answers created: false."],
    request: ({ wallet, pointSystemId }) => ({ walletAddress: wallet, pointSystemId }),
    answer: ({ wallet }) => ({ success: true, walletAddress: wallet, created: true }),
  },
  spend: {
    operationId: "spendPoints",
    group: "Spending",
    title: "Spend points",
    use: "Call it from your backend when a wallet pays with points: for an item of a shop, a raffle ticket or a discount.",
    avoid:
      "To take back points that were credited by mistake, an operator voids the event: spent points stay on the leaderboard.",
    notes: [
      "A wallet's balance is what it earned less what it spent. A spend beyond it answers 409 insufficient_points, however many calls come at once.",
      "Points, ranks and boards stay what was earned.",
      "Send an Idempotency-Key: a repeated call with it spends nothing and repeats the first answer with the header Idempotent-Replayed: true. A key holds for an API key and point system as long as the spend is there. POST /trigger has keys of its own.",
      "A blacklisted wallet spends nothing.",
      "The body has at most 16 KiB.",
    ],
    request: ({ wallet, pointSystemId }) => ({
      walletAddress: wallet,
      pointSystemId,
      points: 250,
      reason: "Raffle ticket",
    }),
    headers: { "Idempotency-Key": "order-1843" },
    answer: ({ wallet }) => ({
      success: true,
      spendId: SPEND_ID,
      walletAddress: wallet,
      pointsSpent: 250,
      balance: 1030,
    }),
  },
  "spend/reverse": {
    operationId: "reverseSpend",
    group: "Spending",
    title: "Reverse a spend",
    use: "Call it when what was bought is given back or could not be delivered.",
    avoid: "It takes no part of a spend: reverse it, and spend the rest again.",
    notes: [
      "A spend is given back once. A repeated call changes nothing and repeats the first answer, so it needs no Idempotency-Key.",
      "A wallet that was blacklisted since gets its points back, too.",
    ],
    request: ({ pointSystemId }) => ({ pointSystemId, spendId: SPEND_ID }),
    answer: ({ wallet }) => ({
      success: true,
      spendId: SPEND_ID,
      walletAddress: wallet,
      pointsReturned: 250,
      balance: 1280,
    }),
  },
  balance: {
    operationId: "getBalance",
    group: "Spending",
    title: "Read a balance",
    use: "Call it to show what a wallet can spend.",
    avoid: "For points and rank, call GET /wallet.",
    notes: [
      "balance is earned less spent, and never below 0.",
      "A wallet that is not known answers 404, as GET /wallet does.",
    ],
    request: ({ pointSystemId, wallet }) => ({ pointSystemId, address: wallet }),
    answer: ({ wallet }) => ({ address: wallet, earned: 1280, spent: 250, balance: 1030 }),
  },
  leaderboard: {
    operationId: "getLeaderboard",
    group: "Reading",
    title: "Read the leaderboard",
    use: "Call it to show a ranking, or with around to show the page on which a wallet stands.",
    avoid: "For the rank of one wallet alone, GET /wallet is smaller.",
    notes: [
      "Every credit shows at once.",
      "Sorted by points, the most first, then by address. No two wallets share a rank.",
      "Blacklisted wallets are left out, in total too.",
      "board names a board beside the all-time one: only events in its window count, and a past window stays as it ended.",
      "Ranks move while you read pages: a wallet can stand on two pages, or on none.",
    ],
    request: ({ pointSystemId }) => ({ pointSystemId, limit: 10 }),
    answer: ({ wallet }) => ({
      leaderboard: [
        { rank: 1, address: wallet, points: 1280, events: 64 },
        { rank: 2, address: SECOND_WALLET, points: 970, events: 41 },
      ],
      pagination: { page: 1, limit: 10, total: 2, totalPages: 1 },
    }),
  },
  wallet: {
    operationId: "getWallet",
    group: "Reading",
    title: "Read a wallet",
    use: "Call it to show a wallet's points and rank in one point system.",
    avoid: "For all point systems at once, or by ENS name, call GET /points.",
    notes: [
      "A blacklisted wallet has the rank that it would hold.",
      "A wallet that is not known answers 404; POST /wallets registers it.",
      "With board, a wallet without points on that board answers 404.",
      "include adds the tier of all its points, and its days in a row, which are some seconds behind.",
    ],
    request: ({ pointSystemId, wallet }) => ({ pointSystemId, address: wallet }),
    answer: ({ wallet }) => ({ address: wallet, points: 1280, events: 64, rank: 1 }),
  },
  activity: {
    operationId: "listActivity",
    group: "Reading",
    title: "List activity",
    use: "Call it to show a wallet's history or a feed of the point system, newest first.",
    avoid: "To count points, read GET /wallet: it has the total.",
    notes: [
      "Events that were taken back by an operator are not listed, nor those that were archived: archivedBefore says until when.",
      "Events of wallets that were blacklisted later stay.",
    ],
    request: ({ pointSystemId, wallet }) => ({ pointSystemId, address: wallet, limit: 10 }),
    answer: ({ wallet, triggerKey }) => ({
      activity: [
        {
          id: "7a0e6a52-91c4-4c0e-8d1b-5b8a1f0c2d3e",
          address: wallet,
          points: 10,
          event: triggerKey,
          date: DATE,
        },
      ],
      pagination: { page: 1, limit: 10, total: 1, totalPages: 1 },
    }),
  },
  points: {
    operationId: "getPoints",
    group: "Reading",
    title: "Read a wallet everywhere",
    use: "Call it to show a wallet, by address or ENS name, in every point system that the key may use.",
    avoid: "For one point system, GET /wallet is smaller and needs no resolver.",
    notes: [
      "A 0x address never fails on ENS: ens is null while the resolver is away.",
      "A wallet that was blacklisted before any points is listed with 0 points and no rank.",
      "A wallet in no point system has an empty list.",
      "With board, point systems without that board are left out, and totalParticipants counts the wallets on it.",
    ],
    request: ({ wallet }) => ({ address: wallet }),
    answer: ({ wallet, pointSystemId }) => ({
      address: wallet,
      ens: null,
      hexAddress: wallet,
      resolvedAt: DATE,
      pointSystems: [
        {
          id: pointSystemId,
          name: "Harbor Wallet",
          slug: "harbor",
          points: 1280,
          events: 64,
          rank: 1,
          totalParticipants: 2,
          isBlacklisted: false,
          blacklistReason: null,
          blacklistedAt: null,
        },
      ],
      summary: {
        totalPointSystems: 1,
        totalPoints: 1280,
        blacklistedCount: 0,
        isBlacklisted: false,
      },
    }),
  },
} as const satisfies Record<string, EndpointProse>;
