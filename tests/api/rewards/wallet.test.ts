import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHash, createOnchainId, createReward, createShare } from "../../support/rewards";
import { createAddress, scene } from "../../support/scene";

const active = (changes: object = {}) =>
  createReward({ status: "active", airdrop: null, ...changes });

test("a wallet's points and address are answered, the address lowercase", async () => {
  const { get, wallet, fire } = await scene();
  await fire();
  const upper = wallet.toUpperCase().replace("0X", "0x");
  expect((await get("/rewards", { address: upper })).body).toMatchObject({
    address: wallet,
    totalPoints: 10,
  });
});

test("of an active reward: eligible at minPoints, with no amount yet", async () => {
  const wallet = createAddress();
  const reward = active({ claimDeadline: "2026-06-01T00:00:00.000Z" });
  const { get } = await scene({ rewards: [reward], events: [{ address: wallet, points: 100 }] });
  expect((await get("/rewards", { address: wallet })).body.rewards).toEqual({
    eligible: [
      {
        id: reward.id,
        campaignName: "Season one",
        totalAmount: 1000.5,
        allocatedAmount: null,
        status: "active",
        claimDeadline: "2026-06-01T00:00:00.000Z",
      },
    ],
    claimed: [],
    unavailable: [],
  });
});

test("of an active reward: unavailable one point below it, and how many are needed", async () => {
  const wallet = createAddress();
  const reward = active();
  const { get } = await scene({ rewards: [reward], events: [{ address: wallet, points: 99 }] });
  const unavailable = [
    {
      ...{ id: reward.id, campaignName: "Season one", minPoints: 100, pointsNeeded: 1 },
      ...{ status: "active", reason: "points_missing" },
    },
  ];
  expect((await get("/rewards", { address: wallet })).body).toEqual({
    address: wallet,
    totalPoints: 99,
    rewards: { eligible: [], claimed: [], unavailable },
  });
  const stranger = await get("/rewards", { address: createAddress() });
  expect(stranger.body).toMatchObject({
    totalPoints: 0,
    rewards: { unavailable: [{ pointsNeeded: 100 }] },
  });
});

test("of an active reward: a share that is being built says nothing yet", async () => {
  const share = createShare();
  const { get } = await scene({
    rewards: [active({ distributions: [share] })],
    events: [{ address: share.address, points: 500 }],
  });
  expect((await get("/rewards", { address: share.address })).body.rewards.eligible).toMatchObject([
    { allocatedAmount: null },
  ]);
});

test("eligible and unavailable by minPoints: the split needs one point, so zero points are not enough", async () => {
  const [none, one] = [createAddress(), createAddress()];
  const reward = active({ minPoints: 0 });
  const { get } = await scene({
    rewards: [reward],
    wallets: [none],
    events: [{ address: one, points: 1 }],
  });
  expect((await get("/rewards", { address: none })).body.rewards).toEqual({
    eligible: [],
    claimed: [],
    unavailable: [
      {
        ...{ id: reward.id, campaignName: "Season one", minPoints: 1, pointsNeeded: 1 },
        ...{ status: "active", reason: "points_missing" },
      },
    ],
  });
  expect((await get("/rewards", { address: one })).body.rewards).toMatchObject({
    eligible: [{ id: reward.id }],
    unavailable: [],
  });
});

test("claimed: the wallet has claimed, whatever the reward's status, points and deadline are", async () => {
  const claimTxHash = createHash();
  const share = createShare({ claimedAt: "2026-03-05T01:02:03.004Z", claimTxHash });
  const { address } = share;
  for (const changes of [{ status: "active" }, { claimDeadline: "2026-03-06" }]) {
    const reward = createReward(changes);
    for (const blacklist of [[], [{ address }]]) {
      const airdrop = { ...reward.airdrop, onchainId: createOnchainId() };
      const distributions = [{ ...share, id: randomUUID() }];
      const file = { ...reward, id: randomUUID(), airdrop, distributions };
      const { get } = await scene({ rewards: [file], blacklist });
      expect((await get("/rewards", { address })).body.rewards).toMatchObject({
        eligible: [],
        claimed: [{ claimedAmount: 400.25, claimTxHash }],
        unavailable: [],
      });
    }
  }
});

test("eligible: not once the airdrop has ended, or its deadline passed by the clock and a margin", async () => {
  const share = createShare();
  const { address } = share;
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const cases = [
    [{ claimDeadline: minutesAgo(-60) }, 1],
    [{ claimDeadline: minutesAgo(2) }, 1],
    [{ claimDeadline: minutesAgo(8) }, 0],
    [{ claimDeadline: minutesAgo(8), chainId: null, airdrop: null, tokenType: "usdc" }, 1],
    [{ airdrop: { ...createReward().airdrop, status: "ended" } }, 0],
    [{ airdrop: { ...createReward().airdrop, status: "ready" } }, 1],
  ] as const;
  for (const [changes, count] of cases) {
    const { get } = await scene({
      rewards: [createReward({ ...changes, distributions: [{ ...share, id: randomUUID() }] })],
    });
    const { body } = await get("/rewards", { address });
    expect(body.rewards.eligible, JSON.stringify(changes)).toHaveLength(count);
    expect(body.rewards.claimed).toEqual([]);
  }
});

test("of a distributed reward: by the share, whatever the points are now", async () => {
  const waiting = createShare({ amount: "0.3" });
  const claimTxHash = createHash();
  const done = createShare({ claimedAt: "2026-03-05T01:02:03.004Z", claimTxHash });
  const reward = createReward({ distributions: [waiting, done] });
  const { get } = await scene({ rewards: [reward] });
  const rewardsOf = async (address: string) => (await get("/rewards", { address })).body.rewards;
  expect(await rewardsOf(waiting.address)).toEqual({
    eligible: [
      {
        id: reward.id,
        campaignName: "Season one",
        totalAmount: 1000.5,
        allocatedAmount: 0.3,
        status: "distributed",
        claimDeadline: null,
      },
    ],
    claimed: [],
    unavailable: [],
  });
  expect(await rewardsOf(done.address)).toEqual({
    eligible: [],
    claimed: [
      {
        id: reward.id,
        campaignName: "Season one",
        claimedAmount: 400.25,
        claimedAt: "2026-03-05T01:02:03.004Z",
        claimTxHash,
      },
    ],
    unavailable: [],
  });
});

test("of a distributed reward: without a share unavailable below minPoints, otherwise nowhere", async () => {
  const [below, late] = [createAddress(), createAddress()];
  const { get } = await scene({
    rewards: [createReward()],
    events: [
      { address: below, points: 1 },
      { address: late, points: 100 },
    ],
  });
  expect((await get("/rewards", { address: below })).body.rewards).toMatchObject({
    eligible: [],
    claimed: [],
    unavailable: [
      { minPoints: 100, pointsNeeded: 99, status: "distributed", reason: "shares_settled" },
    ],
  });
  expect((await get("/rewards", { address: late })).body.rewards).toEqual({
    eligible: [],
    claimed: [],
    unavailable: [],
  });
});

test("a wallet on the blacklist is in no list of an active reward, and keeps what it was given", async () => {
  const share = createShare();
  const [rich, poor, stranger] = [createAddress(), createAddress(), createAddress()];
  const { get } = await scene({
    rewards: [
      active(),
      active({ minPoints: 0 }),
      createReward({ distributions: [share], createdAt: "2026-01-01" }),
    ],
    events: [
      { address: rich, points: 1000 },
      { address: poor, points: 1 },
      { address: share.address, points: 1000 },
    ],
    blacklist: [rich, poor, stranger, share.address].map((address) => ({ address })),
  });
  const rewardsOf = async (address: string) => (await get("/rewards", { address })).body.rewards;
  expect(await rewardsOf(rich)).toEqual({ eligible: [], claimed: [], unavailable: [] });
  for (const address of [poor, stranger]) {
    expect(await rewardsOf(address)).toMatchObject({
      eligible: [],
      claimed: [],
      unavailable: [{ minPoints: 100 }],
    });
  }
  expect(await rewardsOf(share.address)).toMatchObject({
    eligible: [{ allocatedAmount: 400.25 }],
    unavailable: [],
  });
});

test("a reward of another point system gives nothing here, though the wallet has a share of it", async () => {
  const share = createShare();
  await scene({ rewards: [createReward({ distributions: [share] })] });
  const { get } = await scene({ rewards: [createReward()] });
  expect((await get("/rewards", { address: share.address })).body.rewards).toMatchObject({
    eligible: [],
    unavailable: [{ pointsNeeded: 100 }],
  });
});

test("every reward is in one list at most, and in the one that the rules name", async () => {
  const cases = fc.array(
    fc.record({
      status: fc.constantFrom("draft", "active", "distributed", "cancelled"),
      minPoints: fc.constantFrom(0, 1, 50, 51, 9_000),
      share: fc.constantFrom("none", "waiting", "claimed"),
    }),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(
      cases,
      fc.constantFrom(0, 50),
      fc.boolean(),
      async (rewards, points, isBanned) => {
        const address = createAddress();
        const files = rewards.map(({ status, minPoints, share }) => {
          const claimedAt = share === "claimed" ? "2026-03-05" : null;
          const claimTxHash = claimedAt && createHash();
          const made = createShare({ address, claimedAt, claimTxHash });
          const distributions = share === "none" ? [] : [made];
          return createReward({ status, minPoints, distributions });
        });
        const { get } = await scene({
          rewards: files,
          events: points > 0 ? [{ address, points }] : [],
          blacklist: isBanned ? [{ address }] : [],
        });
        const expected = { eligible: [], claimed: [], unavailable: [] } as Record<string, string[]>;
        rewards.forEach(({ status, minPoints, share }, i) => {
          const isListed = status === "active" || status === "distributed";
          const isEnough = points >= Math.max(minPoints, 1);
          const list = !isListed
            ? null
            : share === "claimed"
              ? "claimed"
              : status === "active"
                ? isBanned
                  ? null
                  : isEnough
                    ? "eligible"
                    : "unavailable"
                : share === "waiting"
                  ? "eligible"
                  : isEnough
                    ? null
                    : "unavailable";
          if (list) expected[list]?.push(files[i]?.id as string);
        });
        const { body } = await get("/rewards", { address });
        for (const [list, wanted] of Object.entries(expected)) {
          const found = body.rewards[list].map(({ id }: { id: string }) => id);
          expect(found.sort(), list).toEqual(wanted.sort());
        }
      },
    ),
    { numRuns: 25 },
  );
});
