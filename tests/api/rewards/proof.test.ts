import { randomUUID } from "node:crypto";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { API_PREFIXES } from "../../../app/api/endpoints";
import { getCampaignContract } from "../../../app/chain/rpc/chains";
import { type Executor, inTransaction, withDatabase } from "../../../app/db/client";
import { pointSystems } from "../../../app/db/schema/point-systems";
import { airdrops, merkleBuckets } from "../../../app/db/schema/rewards";
import * as merkle from "../../../app/domain/trees/merkle";
import { call } from "../../support/call";
import { createHash, createOnchainId, createReward, createShare } from "../../support/rewards";
import { createAddress, scene } from "../../support/scene";
import { extendDeadlines } from "../../support/test-database";

beforeAll(extendDeadlines);

type Reward = ReturnType<typeof createReward>;

const ask = (query: Record<string, string>) => call(`/rewards/proof?${new URLSearchParams(query)}`);

const askFor = ({ airdrop }: Reward, address: string, more: Record<string, string> = {}) =>
  ask({ onchainId: airdrop.onchainId, chainId: "84532", address, ...more });

const MISSING = {
  status: 400,
  body: { error: "Missing onchainId, chainId, or address", code: "missing_proof_parameters" },
};
const INVALID = {
  status: 400,
  body: { error: "Invalid onchainId, chainId, or address", code: "invalid_proof_parameters" },
};
const NO_AIRDROP = { status: 404, body: { error: "Airdrop not found" } };
const NO_SHARE = { status: 404, body: { error: "Address not eligible for this airdrop" } };
const NO_PROOF = { status: 404, body: { error: "Merkle proof not yet generated" } };

const roots = (rewardId: string) =>
  withDatabase((db) =>
    db
      .select({ root: merkleBuckets.root })
      .from(merkleBuckets)
      .where(eq(merkleBuckets.rewardId, rewardId)),
  );

/** Moves all of a reward's buckets into one tree. */
async function putIntoOneBucket(db: Executor, rewardId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await tx.execute<{ address: string; amount: string }>(sql`
      select '0x' || encode(address, 'hex') as address, amount_wei::text as amount
      from distributions where reward_id = ${rewardId} order by address`);
    const leaves = rows.map(({ address, amount }) => ({
      address: address as `0x${string}`,
      amountWei: BigInt(amount),
    }));
    // The shares first leave their places: places are unique at every moment.
    await tx.execute(sql`
      update distributions set bucket = null, leaf_index = null where reward_id = ${rewardId}`);
    await tx.execute(sql`
      update distributions d set bucket = 0, leaf_index = o.place
      from (
        select address, row_number() over (order by address) - 1 as place
        from distributions where reward_id = ${rewardId}
      ) o
      where d.reward_id = ${rewardId} and d.address = o.address`);
    await tx.execute(sql`delete from merkle_buckets where reward_id = ${rewardId} and bucket > 0`);
    const root = Buffer.from(merkle.buildMerkleTree(leaves).root.slice(2), "hex");
    await tx.update(merkleBuckets).set({ root }).where(eq(merkleBuckets.rewardId, rewardId));
  });
}

test("answers id, exact amount in base units, and a proof that OpenZeppelin's verifier accepts", async () => {
  const shares = Array.from({ length: 130 }, (_, i) =>
    createShare({ amount: `0.${String(i + 1).padStart(18, "0")}` }),
  );
  const reward = createReward({ distributions: shares });
  await scene({ rewards: [reward] });
  const stored = (await roots(reward.id)).map(({ root }) =>
    Buffer.from(root ?? []).toString("hex"),
  );
  expect(stored).toHaveLength(2);
  for (const i of [0, 1, 64, 129]) {
    const share = shares[i] as (typeof shares)[number];
    const upper = share.address.toUpperCase().replace("0X", "0x");
    const { status, body } = await askFor(reward, upper);
    expect([status, body]).toEqual([
      200,
      {
        distributionId: share.id,
        amount: String(i + 1),
        merkleProof: expect.any(Array),
        claimedAt: null,
      },
    ]);
    const leaf = [share.address, body.amount] as const;
    const isAccepted = stored.some((root) =>
      StandardMerkleTree.verify(`0x${root}`, ["address", "uint256"], [...leaf], body.merkleProof),
    );
    expect(isAccepted).toBe(true);
  }
});

test("answers when it was claimed, and still with the proof", async () => {
  const share = createShare({ claimedAt: "2026-03-05T01:02:03.004Z", claimTxHash: createHash() });
  const reward = createReward({ distributions: [share] });
  await scene({ rewards: [reward] });
  expect((await askFor(reward, share.address)).body).toMatchObject({
    claimedAt: "2026-03-05T01:02:03.004Z",
    merkleProof: [expect.stringMatching(/^0x0{64}$/)],
  });
});

test("answers alike under every prefix, HEAD as GET, and without a look at a key", async () => {
  const share = createShare();
  const reward = createReward({ distributions: [share] });
  await scene({ rewards: [reward] });
  const query = `onchainId=${reward.airdrop.onchainId}&chainId=84532&address=${share.address}`;
  const answers = await Promise.all(
    API_PREFIXES.flatMap((prefix) =>
      ["GET", "HEAD"].map((method) =>
        call(`${prefix}rewards/proof?${query}`, { method, headers: { Authorization: "Basic x" } }),
      ),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

describe("400", () => {
  test("for each parameter that is missing or empty, whatever the others are", async () => {
    const whole = { onchainId: "1", chainId: "84532", address: createAddress() };
    for (const name of Object.keys(whole)) {
      expect(await ask({ ...whole, [name]: "" })).toMatchObject(MISSING);
      const { [name as keyof typeof whole]: _, ...rest } = whole;
      expect(await ask(rest)).toMatchObject(MISSING);
    }
    expect(await call("/rewards/proof")).toMatchObject(MISSING);
    expect(await ask({ onchainId: "x", chainId: "x" })).toMatchObject(MISSING);
  });

  const number = ["x", "-1", "+1", "1.0", "1e3", "0x1", " 1", "1 ", "1\n", "١", "NaN", "1,0"];
  test.each([
    ...number.map((text) => ["onchainId", text]),
    ["onchainId", (2n ** 256n).toString()],
    ["onchainId", "9".repeat(500)],
    ...number.map((text) => ["chainId", text]),
    ["address", "0x1"],
    ["address", "vitalik.eth"],
    ["address", `${"0x"}${"g".repeat(40)}`],
    ["address", `0x${"a".repeat(40)}\n`],
  ] as [string, string][])("for %s %j", async (name, text) => {
    const whole = { onchainId: "1", chainId: "84532", address: createAddress() };
    expect(await ask({ ...whole, [name]: text })).toMatchObject(INVALID);
  });

  test("for include of anything else, with its own code", async () => {
    const whole = { onchainId: "1", chainId: "84532", address: createAddress() };
    expect(await ask({ ...whole, include: "foo" })).toMatchObject({
      status: 400,
      body: { code: "invalid_include" },
    });
    expect(await ask({ ...whole, chainId: "x", include: "foo" })).toMatchObject(INVALID);
  });

  test("for a parameter given twice", async () => {
    const query = `onchainId=1&chainId=84532&address=${createAddress()}`;
    for (const name of ["onchainId", "chainId", "address"]) {
      expect(await call(`/rewards/proof?${query}&${name}=1`)).toMatchObject({
        status: 400,
        body: { error: `Duplicate parameter: ${name}` },
      });
    }
  });
});

test("numbers count by their value: zeros in front name the same airdrop", async () => {
  const share = createShare();
  const reward = createReward({ distributions: [share] });
  await scene({ rewards: [reward] });
  const onchainId = `${"0".repeat(100)}${reward.airdrop.onchainId}`;
  const answer = await askFor(reward, share.address, { onchainId, chainId: "084532" });
  expect(answer.status).toBe(200);
});

test("the largest uint256 is an id like others, and 0 too", async () => {
  const share = createShare();
  const airdrop = { contractAddress: createAddress(), status: "active" };
  const rewards = ["0", (2n ** 256n - 1n).toString()].map((onchainId) =>
    createReward({
      airdrop: { ...airdrop, onchainId },
      distributions: [{ ...share, id: undefined }],
    }),
  );
  await scene({ rewards });
  for (const reward of rewards) expect((await askFor(reward, share.address)).status).toBe(200);
  expect((await askFor(rewards[0] as Reward, share.address, { onchainId: "000" })).status).toBe(
    200,
  );
});

describe("404", () => {
  test("Airdrop not found: another id, another chain, one without rewards", async () => {
    const share = createShare();
    const reward = createReward({ distributions: [share] });
    await scene({ rewards: [reward] });
    for (const more of [
      { onchainId: createOnchainId() },
      { chainId: "8453" },
      { chainId: "1" },
      { chainId: "0" },
      { chainId: "9".repeat(400) },
    ]) {
      expect(await askFor(reward, share.address, more)).toMatchObject(NO_AIRDROP);
    }
  });

  test.each(["building", "ready", "ended"])(
    "Airdrop not found: an airdrop that is %s",
    async (status) => {
      const share = createShare();
      const airdrop = { onchainId: createOnchainId(), contractAddress: createAddress(), status };
      const reward = createReward({ airdrop, distributions: [share] });
      await scene({ rewards: [reward] });
      expect(await askFor(reward, share.address)).toMatchObject(NO_AIRDROP);
    },
  );

  test("Only active airdrops are matched: not one whose deadline passed, though no chain said so", async () => {
    const share = createShare();
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    for (const [minutes, status] of [
      [-60, 200],
      // The chain's clock may be behind: the contract may still pay.
      [2, 200],
      [8, 404],
    ] as const) {
      const distributions = [{ ...share, id: randomUUID() }];
      const reward = createReward({ distributions });
      const claimDeadline = minutesAgo(minutes);
      const { pointSystemId } = await scene({ rewards: [{ ...reward, claimDeadline }] });
      const answer = await askFor(reward, share.address);
      expect(answer.status).toBe(status);
      if (status === 404) expect(answer).toMatchObject(NO_AIRDROP);
      const query = new URLSearchParams({ address: share.address, pointSystemId });
      const { distributions: listed } = (await call(`/rewards/claim-status?${query}`)).body;
      expect(listed).toHaveLength(status === 200 ? 1 : 0);
    }
  });

  test("Airdrop not found: one of a point system that is deleted", async () => {
    const share = createShare();
    const reward = createReward({ distributions: [share] });
    const { pointSystemId } = await scene({ rewards: [reward] });
    expect((await askFor(reward, share.address)).status).toBe(200);
    await withDatabase((db) =>
      db
        .update(pointSystems)
        .set({ deletedAt: sql`now()` })
        .where(eq(pointSystems.id, pointSystemId)),
    );
    expect(await askFor(reward, share.address)).toMatchObject(NO_AIRDROP);
  });

  test("Address not eligible: a wallet without a share, though with points and one elsewhere", async () => {
    const wallet = createAddress();
    const reward = createReward({ distributions: [createShare()] });
    const other = createReward({ distributions: [createShare({ address: wallet })] });
    await scene({ rewards: [reward, other], events: [{ address: wallet, points: 1_000 }] });
    expect(await askFor(reward, wallet)).toMatchObject(NO_SHARE);
  });

  test("Merkle proof not yet generated: a share that is in no tree, or in one without a root", async () => {
    const [pending, built] = [createShare({ proof: "pending" }), createShare()];
    const reward = createReward({ distributions: [pending, built] });
    await scene({ rewards: [reward] });
    expect(await askFor(reward, pending.address)).toMatchObject(NO_PROOF);
    expect((await askFor(reward, built.address)).status).toBe(200);
    await withDatabase((db) =>
      db.update(merkleBuckets).set({ root: null }).where(eq(merkleBuckets.rewardId, reward.id)),
    );
    expect(await askFor(reward, built.address)).toMatchObject(NO_PROOF);
  });
});

describe("of several contracts with the same id", () => {
  const onOwnContract = (onchainId: string) => ({
    onchainId,
    contractAddress: getCampaignContract(84532),
    status: "active",
  });

  test("this service's own is meant, however old", async () => {
    const onchainId = createOnchainId();
    const [own, other] = [createShare(), createShare()];
    const rewards = [
      createReward({
        airdrop: onOwnContract(onchainId),
        distributions: [own],
        createdAt: "2026-01-01",
      }),
      createReward({
        airdrop: { ...onOwnContract(onchainId), contractAddress: createAddress() },
        distributions: [other],
      }),
    ];
    await scene({ rewards });
    expect((await askFor(rewards[0] as Reward, own.address)).status).toBe(200);
    expect(await askFor(rewards[0] as Reward, other.address)).toMatchObject(NO_SHARE);
  });

  test("otherwise the newest that is active", async () => {
    const onchainId = createOnchainId();
    const share = createShare();
    const rewards = ["2026-01-01", "2026-01-02", "2026-01-03"].map((createdAt, i) =>
      createReward({
        createdAt,
        airdrop: {
          onchainId,
          contractAddress: createAddress(),
          status: i === 2 ? "ended" : "active",
        },
        distributions: [createShare({ address: share.address, amount: `${i}` })],
      }),
    );
    await scene({ rewards });
    const { body } = await askFor(rewards[0] as Reward, share.address);
    expect(body.amount).toBe((10n ** 18n).toString());
  });

  test("of another chain is never meant", async () => {
    const onchainId = createOnchainId();
    const [here, there] = [createShare(), createShare()];
    const rewards = [
      createReward({ airdrop: { ...onOwnContract(onchainId) }, distributions: [here] }),
      createReward({
        chainId: 8453,
        airdrop: { ...onOwnContract(onchainId) },
        distributions: [there],
      }),
    ];
    await scene({ rewards });
    expect((await askFor(rewards[0] as Reward, here.address)).status).toBe(200);
    expect(await askFor(rewards[0] as Reward, there.address)).toMatchObject(NO_SHARE);
    const elsewhere = await askFor(rewards[1] as Reward, there.address, { chainId: "8453" });
    expect(elsewhere.status).toBe(200);
  });
});

describe("trees", () => {
  test("are built once for all of a bucket's wallets, also when they ask at once", async () => {
    const shares = Array.from({ length: 40 }, () => createShare({ amount: "1" }));
    const reward = createReward({ distributions: shares });
    await scene({ rewards: [reward] });
    const build = vi.spyOn(merkle, "buildMerkleTree");
    const answers = await Promise.all(shares.map(({ address }) => askFor(reward, address)));
    expect(answers.map(({ status }) => status)).toEqual(shares.map(() => 200));
    expect(build).toHaveBeenCalledTimes(1);
    build.mockRestore();
  });

  test("of more than 8,192 leaves are built in a thread, beside the requests", async () => {
    const shares = Array.from({ length: 8_193 }, () =>
      createShare({ amount: "0.000000000000000001" }),
    );
    const reward = createReward({ distributions: shares, tokenDecimals: 18 });
    await scene({ rewards: [reward] });
    await withDatabase((db) => putIntoOneBucket(db, reward.id));
    using build = vi.spyOn(merkle, "buildMerkleTree");
    const few = [0, 4_000, 8_192].map((i) => shares[i] as (typeof shares)[number]);
    // On a busy machine, the thread may take longer than a call waits.
    const isBuilt = async () => (await askFor(reward, few[0]?.address ?? "")).status !== 503;
    await vi.waitUntil(isBuilt, { timeout: 20_000 });
    const [{ root }] = (await roots(reward.id)) as [{ root: Uint8Array }];
    for (const { address } of few) {
      const { status, body } = await askFor(reward, address);
      expect(status).toBe(200);
      const isValid = StandardMerkleTree.verify(
        `0x${Buffer.from(root).toString("hex")}`,
        ["address", "uint256"],
        [address, body.amount],
        body.merkleProof,
      );
      expect(isValid).toBe(true);
    }
    expect(build).not.toHaveBeenCalled();
  });

  test("of a bucket that was built anew are the new ones", async () => {
    const shares = [createShare({ amount: "1" }), createShare({ amount: "2" })] as const;
    const reward = createReward({ distributions: shares });
    await scene({ rewards: [reward] });
    const before = await askFor(reward, shares[0].address);
    const leaves = [...shares]
      .sort((a, b) => (a.address < b.address ? -1 : 1))
      .map(({ address }) => ({ address, amountWei: 7n }));
    const { root } = merkle.buildMerkleTree(leaves);
    await inTransaction(async (tx) => {
      await tx.execute(sql`update distributions set amount_wei = 7 where reward_id = ${reward.id}`);
      await tx
        .update(merkleBuckets)
        .set({ root: Buffer.from(root.slice(2), "hex") })
        .where(eq(merkleBuckets.rewardId, reward.id));
    });
    const after = await askFor(reward, shares[0].address);
    expect(after.body.amount).toBe("7");
    expect(after.body.merkleProof).not.toEqual(before.body.merkleProof);
    const leaf = [shares[0].address, after.body.amount];
    expect(
      StandardMerkleTree.verify(root, ["address", "uint256"], leaf, after.body.merkleProof),
    ).toBe(true);
  });

  test("that do not give the stored root are a bug, and no proof", async () => {
    const share = createShare();
    const reward = createReward({ distributions: [share] });
    await scene({ rewards: [reward] });
    await withDatabase((db) =>
      db.execute(sql`update distributions set amount_wei = 7 where reward_id = ${reward.id}`),
    );
    const errors: unknown[] = [];
    const { onchainId } = reward.airdrop;
    const path = `/rewards/proof?onchainId=${onchainId}&chainId=84532&address=${share.address}`;
    expect(await call(path, {}, (error) => errors.push(error))).toMatchObject({ status: 500 });
    expect(errors).toHaveLength(1);
  });
});

test("an airdrop that ends is not found from then on", async () => {
  const share = createShare();
  const reward = createReward({ distributions: [share] });
  await scene({ rewards: [reward] });
  expect((await askFor(reward, share.address)).status).toBe(200);
  await withDatabase((db) =>
    db.update(airdrops).set({ status: "ended" }).where(eq(airdrops.rewardId, reward.id)),
  );
  expect(await askFor(reward, share.address)).toMatchObject(NO_AIRDROP);
});

test("a share of a later round counts nowhere until its tokens are in the contract", async () => {
  const share = createShare();
  const { address } = share;
  const reward = createReward({ distributions: [share] });
  const { pointSystemId, get } = await scene({ rewards: [reward] });
  const setFunded = (at: string | null) =>
    inTransaction(async (tx) => {
      await tx.execute(sql`update distributions set round = 1 where reward_id = ${reward.id}`);
      await tx.execute(sql`
          update merkle_buckets set round = 1, funded_at = ${at} where reward_id = ${reward.id}`);
    });
  const look = async () => {
    const query = new URLSearchParams({ address, pointSystemId });
    const status = await call(`/rewards/claim-status?${query}`);
    const { rewards } = (await get("/rewards", { address })).body;
    const { status: proof } = await askFor(reward, address);
    return [rewards.eligible.length, status.body.distributions.length, proof];
  };
  await setFunded(null);
  expect(await look()).toEqual([0, 0, 404]);
  await setFunded("2026-03-02");
  expect(await look()).toEqual([1, 1, 200]);
});

test("there is no proof before the tokens are in the contract", async () => {
  const share = createShare();
  const reward = createReward({ distributions: [share] });
  await scene({ rewards: [reward] });
  await withDatabase((db) =>
    db.update(merkleBuckets).set({ fundedAt: null }).where(eq(merkleBuckets.rewardId, reward.id)),
  );
  expect(await askFor(reward, share.address)).toMatchObject(NO_PROOF);
});
