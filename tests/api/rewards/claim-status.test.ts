import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { API_PREFIXES } from "../../../app/api/endpoints";
import { getCampaignContract } from "../../../app/chain/rpc/chains";
import { withDatabase } from "../../../app/db/client";
import { pointSystems } from "../../../app/db/schema/point-systems";
import { merkleBuckets } from "../../../app/db/schema/rewards";
import { call } from "../../support/call";
import { createHash, createOnchainId, createReward, createShare } from "../../support/rewards";
import { createAddress, scene } from "../../support/scene";

const ask = (query: Record<string, string>) =>
  call(`/rewards/claim-status?${new URLSearchParams(query)}`);

const listFor = async (pointSystemId: string, address: string) =>
  (await ask({ pointSystemId, address })).body.distributions;

function createGiftCards(cards: object[], changes: object = {}) {
  return {
    kind: "giftcard",
    id: randomUUID(),
    campaignName: "Thank you",
    status: "distributed",
    tiers: [{ label: "Gold", cards }],
    ...changes,
  };
}

test("answers every documented field of a token entry", async () => {
  const claimTxHash = createHash();
  const share = createShare({ claimedAt: "2026-03-05T01:02:03.004Z", claimTxHash });
  const reward = createReward({
    distributions: [share],
    claimDeadline: "2096-06-01",
    tokenDecimals: 6,
    tokenType: "usdc",
  });
  const { pointSystemId } = await scene({ rewards: [reward] });
  const answer = await ask({
    pointSystemId,
    address: share.address.toUpperCase().replace("0X", "0x"),
  });
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      distributions: [
        {
          kind: "token",
          distributionId: share.id,
          rewardId: reward.id,
          campaignName: "Season one",
          chainId: 84532,
          contractAddress: reward.airdrop.contractAddress,
          onchainId: reward.airdrop.onchainId,
          tokenAddress: reward.tokenAddress,
          tokenDecimals: 6,
          tokenSymbol: "ABC",
          claimDeadline: "2096-06-01T00:00:00.000Z",
          amountWei: "400250000",
          claimedAt: "2026-03-05T01:02:03.004Z",
          claimTxHash,
          hasProof: true,
          distributedAt: "2026-03-02T00:00:00.000Z",
        },
      ],
    },
  ]);
});

test("answers null for what is not there yet", async () => {
  const share = createShare({ proof: "pending" });
  const reward = createReward({
    tokenType: "ethereum",
    tokenAddress: null,
    distributions: [share],
  });
  const { pointSystemId } = await scene({ rewards: [reward] });
  expect(await listFor(pointSystemId, share.address)).toMatchObject([
    {
      tokenAddress: null,
      claimDeadline: null,
      claimedAt: null,
      claimTxHash: null,
      hasProof: false,
    },
  ]);
});

test("answers every documented field of a gift card entry, and never its code", async () => {
  const address = createAddress();
  const code = "PLANTED-CODE-1234";
  const card = {
    id: randomUUID(),
    address,
    code,
    revealed: true,
    claimedAt: "2026-03-05T01:02:03.004Z",
    distributedAt: "2026-03-02T00:00:00.000Z",
  };
  const reward = createGiftCards([card]);
  const { pointSystemId } = await scene({ rewards: [reward] });
  const { body } = await ask({ pointSystemId, address });
  expect(body.distributions).toEqual([
    {
      kind: "giftcard",
      distributionId: card.id,
      rewardId: reward.id,
      campaignName: "Thank you",
      tierLabel: "Gold",
      revealed: true,
      claimedAt: "2026-03-05T01:02:03.004Z",
      distributedAt: "2026-03-02T00:00:00.000Z",
    },
  ]);
  expect(JSON.stringify(body)).not.toContain(code);
});

test("a wallet sees no card of another wallet or of the pool, and none of a draft or cancelled reward", async () => {
  const address = createAddress();
  const rewards = ["draft", "active", "distributed", "cancelled"].map((status) =>
    createGiftCards(
      [
        { code: "A", address },
        { code: "B", address: createAddress() },
        { code: "C", address: null },
      ],
      { status },
    ),
  );
  const { pointSystemId } = await scene({ rewards });
  const entries = await listFor(pointSystemId, address);
  expect(entries.map(({ rewardId }: { rewardId: string }) => rewardId).sort()).toEqual(
    [rewards[1]?.id, rewards[2]?.id].sort(),
  );
  expect(entries).toMatchObject([
    { revealed: false, claimedAt: null },
    { revealed: false, claimedAt: null },
  ]);
});

test.each(["building", "ready", "ended"])(
  "a share of an airdrop that is %s is not listed",
  async (status) => {
    const share = createShare();
    const airdrop = { onchainId: createOnchainId(), contractAddress: createAddress(), status };
    const { pointSystemId } = await scene({
      rewards: [createReward({ airdrop, distributions: [share] })],
    });
    expect(await listFor(pointSystemId, share.address)).toEqual([]);
  },
);

test("a share of a reward without an airdrop, and of another point system, is not listed", async () => {
  const share = createShare();
  const { address } = share;
  const { pointSystemId } = await scene({
    rewards: [createReward({ airdrop: null, distributions: [share] })],
  });
  await scene({ rewards: [createReward({ distributions: [createShare({ address })] })] });
  expect(await listFor(pointSystemId, address)).toEqual([]);
});

test("a wallet that is on the blacklist by now still claims what it was given", async () => {
  const share = createShare();
  const { pointSystemId } = await scene({
    rewards: [createReward({ distributions: [share] })],
    blacklist: [{ address: share.address }],
  });
  expect(await listFor(pointSystemId, share.address)).toHaveLength(1);
});

test("lists tokens, then gift cards, each newest first and the higher id first", async () => {
  const address = createAddress();
  const dates = ["2026-03-02", "2026-03-03", "2026-03-02", "2026-03-01"];
  const shares = dates.map((distributedAt) => createShare({ address, distributedAt }));
  const cards = dates.map((distributedAt, i) => ({
    id: randomUUID(),
    address,
    code: `C${i}`,
    distributedAt,
  }));
  const { pointSystemId } = await scene({
    rewards: [
      ...shares.map((share) => createReward({ distributions: [share] })),
      createGiftCards(cards),
    ],
  });
  const inOrder = (entries: { id: string; distributedAt: string }[]) =>
    [...entries]
      .sort((a, b) => b.distributedAt.localeCompare(a.distributedAt) || b.id.localeCompare(a.id))
      .map(({ id }) => id);
  const entries = await listFor(pointSystemId, address);
  expect(entries.map((entry: { distributionId: string }) => entry.distributionId)).toEqual([
    ...inOrder(shares),
    ...inOrder(cards),
  ]);
});

describe("hasProof", () => {
  test("says what /rewards/proof answers, in every state of a share", async () => {
    const address = createAddress();
    const onchainId = createOnchainId();
    const own = getCampaignContract(84532);
    const place = (contractAddress: string, id = createOnchainId()) => ({
      airdrop: { onchainId: id, contractAddress, status: "active" },
    });
    const rootless = createReward({ distributions: [createShare({ address })] });
    const { pointSystemId } = await scene({
      rewards: [
        createReward({ distributions: [createShare({ address })] }),
        createReward({ distributions: [createShare({ address, proof: "pending" })] }),
        rootless,
        // GET /rewards/proof answers for the service's own contract.
        createReward({ ...place(own, onchainId), distributions: [createShare({ address })] }),
        createReward({
          ...place(createAddress(), onchainId),
          distributions: [createShare({ address, amount: "7" })],
        }),
      ],
    });
    await withDatabase((db) =>
      db.update(merkleBuckets).set({ root: null }).where(eq(merkleBuckets.rewardId, rootless.id)),
    );
    const entries = await listFor(pointSystemId, address);
    expect(entries).toHaveLength(5);
    for (const { hasProof, chainId, ...entry } of entries) {
      const query = new URLSearchParams({ onchainId: entry.onchainId, chainId, address });
      const { status, body } = await call(`/rewards/proof?${query}`);
      const isAnswered = status === 200 && body.distributionId === entry.distributionId;
      expect(hasProof, JSON.stringify(entry)).toBe(isAnswered);
    }
    expect(entries.filter(({ hasProof }: { hasProof: boolean }) => hasProof)).toHaveLength(2);
  });
});

describe("a point system that is not there", () => {
  test("answers an empty list: unknown, or deleted", async () => {
    const address = createAddress();
    expect(await ask({ pointSystemId: randomUUID(), address })).toMatchObject({
      status: 200,
      body: { distributions: [] },
    });
    const { pointSystemId } = await scene({
      rewards: [
        createReward({ distributions: [createShare({ address })] }),
        createGiftCards([{ code: "A", address }]),
      ],
    });
    expect(await listFor(pointSystemId.toUpperCase(), address)).toHaveLength(2);
    await withDatabase((db) =>
      db
        .update(pointSystems)
        .set({ deletedAt: sql`now()` })
        .where(eq(pointSystems.id, pointSystemId)),
    );
    expect(await listFor(pointSystemId, address)).toEqual([]);
  });

  test.each(["x", "1", `${randomUUID()}0`, "' or 1=1 --"])("answers 400 to %j", async (text) => {
    expect(await ask({ pointSystemId: text, address: createAddress() })).toMatchObject({
      status: 400,
      body: { error: "Invalid pointSystemId", code: "invalid_point_system_id" },
    });
  });
});

describe("400", () => {
  test("names the first missing parameter in documented order", async () => {
    for (const query of ["", "?pointSystemId=x", "?address=&pointSystemId=x"]) {
      expect(await call(`/rewards/claim-status${query}`)).toMatchObject({
        status: 400,
        body: { error: "Missing required parameter: address" },
      });
    }
    for (const query of ["?address=x", "?address=x&pointSystemId="]) {
      expect(await call(`/rewards/claim-status${query}`)).toMatchObject({
        status: 400,
        body: { error: "Missing required parameter: pointSystemId" },
      });
    }
  });

  test("names what is malformed, the address first", async () => {
    expect(await ask({ address: "0x1", pointSystemId: "x" })).toMatchObject({
      status: 400,
      body: { error: "Invalid address" },
    });
  });

  test("refuses a parameter given twice", async () => {
    const query = `pointSystemId=${randomUUID()}&address=${createAddress()}`;
    for (const name of ["pointSystemId", "address"]) {
      expect(await call(`/rewards/claim-status?${query}&${name}=x`)).toMatchObject({
        status: 400,
        body: { error: `Duplicate parameter: ${name}` },
      });
    }
  });
});

test("answers alike under every prefix, and HEAD as GET", async () => {
  const share = createShare();
  const { pointSystemId } = await scene({ rewards: [createReward({ distributions: [share] })] });
  const query = new URLSearchParams({ pointSystemId, address: share.address });
  const answers = await Promise.all(
    API_PREFIXES.flatMap((prefix) =>
      ["GET", "HEAD"].map((method) => call(`${prefix}rewards/claim-status?${query}`, { method })),
    ),
  );
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers[0]?.body.distributions).toHaveLength(1);
});
