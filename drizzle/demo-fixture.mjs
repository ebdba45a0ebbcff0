// Creates the demo's data: stable ids, history up to today. Plain JavaScript, so that the demo
// needs no build.

const DAY_MS = 86_400_000;
const DAYS = 60;
const WALLETS = 180;

export const DEMO = {
  email: "demo@example.com",
  password: "correct horse battery staple",
  pointSystemId: "d0000000-0000-4000-8000-000000000001",
  apiKey: "rw_d0000000000000000000000000000001",
  triggerKey: "daily_login",
  /** One reward of each kind that has its own pages. */
  rewards: {
    active: "d0000000-0000-4000-8000-0000000000a1",
    distributed: "d0000000-0000-4000-8000-0000000000a2",
    draft: "d0000000-0000-4000-8000-0000000000a3",
    giftCards: "d0000000-0000-4000-8000-0000000000b1",
    /**
     * The campaigns on the demo's chain, when there is one: one that holders claim, one that is paid
     * out to everybody, and the second round of the first.
     */
    claimed: "d0000000-0000-4000-8000-0000000000a4",
    paidOut: "d0000000-0000-4000-8000-0000000000a5",
    secondRound: "d0000000-0000-4000-8000-0000000000a6",
  },
  chainId: 84532,
  /**
   * Account 2 of the development chains' usual words, also in app/components/wallet/demo-wallet.ts.
   */
  wallet: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
  /** Wallets of one holder, from the list of the demo's wallets. */
  holder: {
    primary: "0x8250715e308508921167a36dd1182b53d3b1a5c4",
    linked: [
      "0x7615c779dc2f2fee45d2c8c6c7c4680a8dfca8f2",
      "0x20acfe52314b0a27f5bdb1c9bc1a943e9da5b40d",
    ],
  },
};

/**
 * @typedef {object} DemoChain
 * @property {string} token the address of a token there
 * @property {readonly string[]} holders wallets whose keys the demo has
 */

const DAILY_LOGIN = { name: "Daily login", key: DEMO.triggerKey, points: 10, public: true };
const TRIGGERS = [
  DAILY_LOGIN,
  {
    name: "First swap",
    key: "first_swap",
    points: 250,
    cap: { window: "ever", times: 1 },
    public: true,
  },
  { name: "Bridge deposit", key: "bridge_deposit", points: 120, public: true },
  {
    name: "Quest completed",
    key: "quest_completed",
    points: 60,
    cap: { window: "weekly", times: 10, points: 300 },
    public: true,
  },
  { name: "Winter event", key: "winter_event", points: 500, active: false },
];

/**
 * Creates a random generator, mulberry32: small, and the same on every machine.
 * @param {number} seed
 */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Creates a reward of two tiers, most of which is given away.
 * @param {string[]} wallets
 * @param {(days: number) => string} ago
 */
function createGiftCards(wallets, ago) {
  const createCards = (/** @type {string} */ label, /** @type {number} */ from) =>
    Array.from({ length: 12 }, (_, i) => {
      const holder = i === 0 && from === 30 ? DEMO.wallet : i < 8 ? wallets[from + i] : null;
      return {
        code: `DEMO-${label.toUpperCase()}-${String(1000 + i * 37)}`,
        address: holder,
        distributedAt: holder === null ? null : ago(6),
      };
    });
  return {
    kind: "giftcard",
    id: DEMO.rewards.giftCards,
    campaignName: "Thank you",
    status: "distributed",
    createdAt: ago(8),
    tiers: [
      { label: "Gold", minPoints: 2000, cards: createCards("Gold", 10) },
      { label: "Silver", minPoints: 500, cards: createCards("Silver", 30) },
    ],
  };
}

/**
 * Creates campaigns that the demo publishes and funds on its chain.
 * @param {DemoChain} chain
 * @param {(days: number) => string} ago
 */
function createChainCampaigns({ token }, ago) {
  const { claimed, paidOut, secondRound } = DEMO.rewards;
  const terms = {
    kind: "token",
    chainId: DEMO.chainId,
    tokenDecimals: 18,
    minPoints: 200,
    maxPoints: 3000,
    status: "draft",
  };
  const inToken = { ...terms, tokenType: "custom", tokenAddress: token, tokenSymbol: "HRB" };
  return [
    {
      ...inToken,
      id: claimed,
      campaignId: "CMP-CREW",
      campaignName: "Founding crew",
      totalAmount: "50000",
      // Without a deadline, the campaign stays open however long the demo is stopped.
      claimDeadline: null,
      // The demo publishes it at its start.
      createdAt: ago(3 / 24),
    },
    {
      ...terms,
      id: paidOut,
      campaignId: "CMP-FUEL",
      campaignName: "Fuel for the crew",
      tokenType: "ethereum",
      tokenSymbol: "ETH",
      totalAmount: "4.5",
      claimDeadline: ago(-365),
      createdAt: ago(2 / 24),
    },
    {
      ...inToken,
      id: secondRound,
      campaignId: "CMP-CREW2",
      campaignName: "Founding crew, second round",
      totalAmount: "8000",
      // Every point that is new counts.
      minPoints: 1,
      maxPoints: null,
      claimDeadline: null,
      createdAt: ago(1.5 / 24),
    },
  ];
}

/**
 * Creates spends of the demo's wallet, one of which is given back, and of a linked one.
 * @param {(days: number) => string} ago
 */
function createSpends(ago) {
  const spend = (
    /** @type {number} */ points,
    /** @type {string} */ reason,
    /** @type {number} */ days,
  ) => ({
    ...{ address: DEMO.wallet, points, reason, date: ago(days) },
  });
  return [
    spend(10, "Sticker set", 1.5),
    { ...spend(20, "Harbor mug", 1), reversedAt: ago(0.5) },
    spend(5, "Raffle ticket", 0.25),
    { ...spend(5, "Raffle ticket", 0.2), address: DEMO.holder.linked[0] },
  ];
}

/**
 * Creates the spends of some past weeks: tickets of wallets that had earned enough by then.
 * @param {{ address: string, points: number, date: string }[]} events those of the buyers
 * @param {(days: number) => string} ago
 */
function createTickets(events, ago) {
  return Array.from({ length: 24 }, (_, i) => {
    const date = ago(7 * (i % 8) + 3);
    const earned = events.filter((event) => event.points > 100 && event.date < date);
    const address = earned[(i * 5) % earned.length]?.address;
    return address ? [{ address, points: 15 + 5 * (i % 4), reason: "Raffle ticket", date }] : [];
  }).flat();
}

/** The wallet of the demo's list that is blacklisted, and since when. */
const BLACKLISTED = 5;
const BLACKLISTED_DAYS = 3;

/**
 * Creates the demo's fixture.
 * @param {number} nowMs
 * @param {DemoChain | null} chain a chain that the demo may use; null for none
 * @returns {object} a fixture file's content
 */
export function createDemoFixture(nowMs, chain = null) {
  const random = createRandom(7);
  const hex = (/** @type {number} */ digits) =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
  const known = [DEMO.wallet, ...(chain?.holders ?? [])];
  const drawn = Array.from({ length: WALLETS - 1 }, () => `0x${hex(40)}`);
  const wallets = [...known, ...drawn].slice(0, WALLETS);

  /** @type {{ id: string, address: string, points: number, event: string | null, date: string }[]} */
  const events = [];
  wallets.forEach((address, i) => {
    // A few busy wallets, a long tail.
    const count = 1 + Math.floor(40 * random() ** 3) + (i < known.length ? 12 : 0);
    // A blacklisted wallet earns nothing.
    const newestMs = nowMs - 60_000 - (i === BLACKLISTED ? BLACKLISTED_DAYS * DAY_MS : 0);
    for (let n = 0; n < count; n += 1) {
      const { key, points } = TRIGGERS[Math.floor(random() * random() * 4)] ?? DAILY_LOGIN;
      events.push({
        id: `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
        address,
        points,
        event: random() < 0.03 ? null : key,
        date: new Date(newestMs - Math.floor(random() ** 1.3 * DAYS * DAY_MS)).toISOString(),
      });
    }
  });
  const ago = (/** @type {number} */ days) => new Date(nowMs - days * DAY_MS).toISOString();
  const named = [...known, DEMO.holder.primary, ...DEMO.holder.linked, wallets[BLACKLISTED]];

  return {
    operators: [{ email: DEMO.email, password: DEMO.password, name: "Demo operator" }],
    pointSystems: [
      {
        operator: DEMO.email,
        id: DEMO.pointSystemId,
        name: "Harbor Wallet",
        slug: "harbor",
        triggers: TRIGGERS,
        events,
        wallets: [`0x${"0".repeat(39)}1`],
        blacklist: [
          {
            address: wallets[BLACKLISTED],
            reason: "Sybil cluster",
            date: ago(BLACKLISTED_DAYS),
          },
        ],
        spends: [
          ...createSpends(ago),
          ...createTickets(
            events.filter(({ address }) => !named.includes(address)),
            ago,
          ),
        ],
        links: DEMO.holder.linked.map((address) => ({
          address,
          primaryAddress: DEMO.holder.primary,
        })),
        boards: [
          { kind: "weekly", name: "This week" },
          {
            kind: "season",
            slug: "harbor-cup",
            name: "Harbor Cup",
            startsAt: ago(30),
            endsAt: ago(-30),
          },
        ],
        tiers: [
          { name: "Deckhand", pointsMin: 50, color: "#8a6d3b" },
          { name: "Bosun", pointsMin: 400, color: "#7c8a99" },
          { name: "Captain", pointsMin: 1_200, color: "#d4af37" },
        ],
        streaks: [
          {
            key: "daily_visits",
            name: "Daily visits",
            bonuses: [
              { days: 7, trigger: DAILY_LOGIN.key },
              { days: 30, trigger: DAILY_LOGIN.key },
            ],
          },
        ],
        boosts: [
          {
            name: "Quest week",
            factor: 2,
            startsAt: ago(2),
            endsAt: ago(-5),
            triggers: ["quest_completed"],
          },
        ],
        rewards: [
          {
            kind: "token",
            id: DEMO.rewards.active,
            campaignId: "CMP-DEMO",
            campaignName: "Season one",
            tokenType: "custom",
            tokenAddress: chain?.token ?? `0x${"5".repeat(40)}`,
            tokenSymbol: "HRB",
            tokenDecimals: 18,
            chainId: 84532,
            totalAmount: "250000",
            minPoints: 100,
            maxPoints: 5000,
            // The demo publishes it itself, and its token is then read from the chain.
            status: chain ? "draft" : "active",
            claimDeadline: null,
            createdAt: ago(chain ? 1 / 24 : 10),
          },
          {
            kind: "token",
            id: DEMO.rewards.distributed,
            campaignId: "CMP-EARLY",
            campaignName: "Early sailors",
            tokenType: "solana",
            tokenSymbol: "SOL",
            tokenDecimals: 9,
            chainId: null,
            totalAmount: "120.5",
            minPoints: 300,
            maxPoints: 2000,
            status: "distributed",
            createdAt: ago(30),
            distributions: "auto",
          },
          {
            kind: "token",
            id: DEMO.rewards.draft,
            campaignId: "CMP-NEXT",
            campaignName: "Season two",
            tokenType: "ethereum",
            tokenSymbol: "ETH",
            tokenDecimals: 18,
            chainId: 84532,
            totalAmount: "12.5",
            minPoints: 250,
            maxPoints: 4000,
            status: "draft",
            createdAt: ago(1),
          },
          createGiftCards(wallets, ago),
          ...(chain ? createChainCampaigns(chain, ago) : []),
        ],
      },
      {
        operator: DEMO.email,
        id: "d0000000-0000-4000-8000-000000000002",
        name: "Harbor Beta",
        slug: "harbor-beta",
        triggers: [{ name: "Feedback sent", key: "feedback_sent", points: 25 }],
      },
    ],
    apiKeys: [
      {
        operator: DEMO.email,
        name: "Demo backend",
        key: DEMO.apiKey,
        permission: "all",
        pointSystems: ["harbor", "harbor-beta"],
      },
    ],
  };
}
