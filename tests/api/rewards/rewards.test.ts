import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { API_PREFIXES } from "../../../app/api/endpoints";
import { inTransaction, withDatabase } from "../../../app/db/client";
import { airdrops } from "../../../app/db/schema/rewards";
import { call } from "../../support/call";
import { createHash, createReward, createShare } from "../../support/rewards";
import { createAddress, scene } from "../../support/scene";

const ids = (rewards: { id: string }[]) => rewards.map(({ id }) => id);

test("answers every documented field of a reward, amounts and dates as documented", async () => {
  const reward = createReward({
    campaignId: "CMP-7F3K",
    claimDeadline: "2026-05-01T12:00:00+02:00",
  });
  const { get } = await scene({ rewards: [reward] });
  expect(await get("/rewards")).toMatchObject({ status: 200 });
  expect((await get("/rewards")).body).toEqual({
    rewards: [
      {
        id: reward.id,
        campaignId: "CMP-7F3K",
        campaignName: "Season one",
        tokenType: "custom",
        tokenAddress: reward.tokenAddress,
        chainId: 84532,
        totalAmount: 1000.5,
        minPoints: 100,
        maxPoints: 5000,
        allocationType: "proportional",
        status: "distributed",
        claimDeadline: "2026-05-01T10:00:00.000Z",
        createdAt: "2026-03-01T00:00:00.000Z",
      },
    ],
  });
});

test("answers null where there is no token address, chain, cap or deadline", async () => {
  const bare = createReward({
    tokenType: "bitcoin",
    tokenAddress: null,
    tokenDecimals: 8,
    chainId: null,
    maxPoints: null,
    minPoints: 0,
    totalAmount: "0.00000001",
    airdrop: null,
    status: "active",
  });
  const { get } = await scene({ rewards: [bare] });
  expect((await get("/rewards")).body.rewards).toMatchObject([
    {
      tokenType: "bitcoin",
      tokenAddress: null,
      chainId: null,
      maxPoints: null,
      minPoints: 1,
      claimDeadline: null,
      totalAmount: 0.00000001,
      campaignId: expect.stringMatching(/^CMP-\w+$/),
    },
  ]);
});

test.each([
  ["1000.5", 18, 1000.5],
  ["0.1", 18, 0.1],
  ["0.000000000000000001", 18, 1e-18],
  ["123456789.123456", 6, 123456789.123456],
  ["1000000", 0, 1000000],
  [(2n ** 256n - 1n).toString(), 0, 1.157920892373162e77],
])(
  "answers the total %s of a token with %i decimals as the number %d",
  async (totalAmount, tokenDecimals, number) => {
    const { get } = await scene({ rewards: [createReward({ totalAmount, tokenDecimals })] });
    expect((await get("/rewards")).body.rewards[0].totalAmount).toBe(number);
  },
);

test("answers active and distributed token rewards only: no draft, no cancelled one, no gift card", async () => {
  const rewards = ["draft", "active", "distributed", "cancelled"].map((status, i) =>
    createReward({ status, createdAt: `2026-03-0${i + 1}` }),
  );
  const giftCards = {
    kind: "giftcard",
    campaignName: "Thank you",
    status: "distributed",
    tiers: [{ label: "Gold", cards: [{ code: "AAAA-BBBB" }] }],
  };
  const { get } = await scene({ rewards: [...rewards, giftCards] });
  expect(ids((await get("/rewards")).body.rewards)).toEqual([rewards[2]?.id, rewards[1]?.id]);
  const { eligible, claimed, unavailable } = (await get("/rewards", { address: createAddress() }))
    .body.rewards;
  expect(ids([...eligible, ...claimed, ...unavailable]).sort()).toEqual(
    ids([rewards[1], rewards[2]] as { id: string }[]).sort(),
  );
});

test("totalAmount: the token amount allocated, with the later rounds that are in the contract", async () => {
  const [first, second] = [createShare({ amount: "1000.5" }), createShare({ amount: "0" })];
  const reward = createReward({ distributions: [first, second] });
  const { get } = await scene({ rewards: [reward] });
  const setSecond = (fundedAt: string | null) =>
    inTransaction(async (tx) => {
      await tx.execute(sql`
          delete from merkle_buckets where reward_id = ${reward.id} and bucket in (1, 2)`);
      await tx.execute(sql`
          insert into allocations (point_system_id, reward_id, round, status, total_amount_wei)
          select point_system_id, id, 1, 'built', 30 * 10 ^ 18 from rewards
          where id = ${reward.id} on conflict do nothing`);
      await tx.execute(sql`
          insert into merkle_buckets
            (point_system_id, reward_id, bucket, round, total_amount_wei, funded_at)
          select point_system_id, id, bucket, 1, amount * 10 ^ 18, funded_at
          from rewards, (values (1, 10, now()), (2, 20, ${fundedAt}::timestamptz))
            as t(bucket, amount, funded_at)
          where id = ${reward.id}`);
      await tx.execute(sql`
          update distributions set round = 1, bucket = 1, leaf_index = 0, amount_wei = 10 * 10 ^ 18
          where id = ${second.id}`);
    });
  await setSecond(null);
  expect((await get("/rewards")).body.rewards).toMatchObject([{ totalAmount: 1010.5 }]);
  await setSecond("2026-03-02");
  expect((await get("/rewards")).body.rewards).toMatchObject([{ totalAmount: 1030.5 }]);
  const { eligible } = (await get("/rewards", { address: second.address })).body.rewards;
  expect(eligible).toMatchObject([{ totalAmount: 1030.5, allocatedAmount: 10 }]);
});

test("draft and cancelled campaigns are never returned: nor is one that is cancelled on chain", async () => {
  const claimTxHash = createHash();
  const done = createShare({ claimedAt: "2026-03-05T01:02:03.004Z", claimTxHash });
  const waiting = createShare();
  const below = createAddress();
  const reward = createReward({ distributions: [done, waiting] });
  const { get } = await scene({ rewards: [reward] });
  await withDatabase((db) =>
    db
      .update(airdrops)
      .set({ status: "ended", cancelledOnchainAt: new Date() })
      .where(eq(airdrops.rewardId, reward.id)),
  );
  expect((await get("/rewards")).body).toEqual({ rewards: [] });
  const nothing = { eligible: [], claimed: [], unavailable: [] };
  for (const address of [waiting.address, below]) {
    expect((await get("/rewards", { address })).body.rewards).toEqual(nothing);
  }
  expect((await get("/rewards", { address: done.address })).body.rewards).toEqual({
    ...nothing,
    claimed: [
      {
        id: reward.id,
        campaignName: "Season one",
        claimedAmount: 400.25,
        claimedAt: "2026-03-05T01:02:03.004Z",
        claimTxHash,
      },
    ],
  });
});

test("answers the newest first; of those made at once, the higher id", async () => {
  const created = ["2026-03-02", "2026-03-01", "2026-03-03", "2026-03-02", "2026-03-02"];
  const rewards = created.map((createdAt) => createReward({ createdAt }));
  const { get } = await scene({ rewards });
  const sorted = [...rewards].sort(
    (a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id),
  );
  expect(ids((await get("/rewards")).body.rewards)).toEqual(ids(sorted));
});

test("answers no reward of another point system", async () => {
  await scene({ rewards: [createReward()] });
  const { get, wallet } = await scene();
  expect((await get("/rewards")).body).toEqual({ rewards: [] });
  expect((await get("/rewards", { address: wallet })).body).toEqual({
    address: wallet,
    totalPoints: 0,
    rewards: { eligible: [], claimed: [], unavailable: [] },
  });
});

test("answers alike under every prefix, and HEAD as GET", async () => {
  const { token, pointSystemId } = await scene({ rewards: [createReward()] });
  const headers = { Authorization: `Bearer ${token}` };
  const answers = await Promise.all(
    API_PREFIXES.flatMap((prefix) =>
      ["GET", "HEAD"].map((method) =>
        call(`${prefix}rewards?pointSystemId=${pointSystemId}`, { method, headers }),
      ),
    ),
  );
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
});

describe("400", () => {
  test("for no pointSystemId, before anything is said of the address", async () => {
    const { token } = await scene();
    const headers = { Authorization: `Bearer ${token}` };
    for (const query of ["", "?address=x", "?pointSystemId=&address=x"]) {
      expect(await call(`/rewards${query}`, { headers })).toMatchObject({
        status: 400,
        body: { error: "Missing required parameter: pointSystemId" },
      });
    }
  });

  test("for what is no address, before scope", async () => {
    const { get } = await scene();
    for (const address of ["0x1", "vitalik.eth", `${createAddress()}0`]) {
      expect(await get("/rewards", { address, pointSystemId: "x" })).toMatchObject({
        status: 400,
        body: { error: "Invalid address" },
      });
    }
  });

  test("for a parameter given twice", async () => {
    const { token, pointSystemId, wallet } = await scene();
    const headers = { Authorization: `Bearer ${token}` };
    const query = `pointSystemId=${pointSystemId}&address=${wallet}`;
    for (const name of ["pointSystemId", "address"]) {
      expect(await call(`/rewards?${query}&${name}=${wallet}`, { headers })).toMatchObject({
        status: 400,
        body: { error: `Duplicate parameter: ${name}` },
      });
    }
  });
});

test("no answer holds a share of another wallet", async () => {
  const other = createShare();
  const reward = createReward({ distributions: [other] });
  const { get, wallet } = await scene({ rewards: [reward] });
  const text = JSON.stringify([
    (await get("/rewards")).body,
    (await get("/rewards", { address: wallet })).body,
  ]);
  expect(text).not.toContain(other.address);
  expect(text).not.toContain("400.25");
});
