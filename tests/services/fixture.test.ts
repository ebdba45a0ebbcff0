import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { verifyPassword } from "../../app/auth/passwords";
import { withDatabase } from "../../app/db/client";
import { apiKeyPointSystems, apiKeys } from "../../app/db/schema/api-keys";
import { giftCards, giftCardTiers } from "../../app/db/schema/gift-cards";
import { blacklist } from "../../app/db/schema/ledger";
import { operators } from "../../app/db/schema/operators";
import { pointSystems, triggers } from "../../app/db/schema/point-systems";
import { airdrops, distributions, rewards } from "../../app/db/schema/rewards";
import { hashApiKeyToken } from "../../app/domain/api-key";
import type { LoadedFixture } from "../../app/services/fixture/summary";
import { decryptGiftCardCode } from "../../app/services/gift-card-codes";
import {
  addressOf,
  createExample,
  dumpDatabase,
  expectSoundLedger,
  getTotals,
  keyring,
  listEvents,
  listWallets,
  load,
} from "../fixture-file";

const [A, B, C, D] = ["aa", "bb", "cc", "dd"].map(addressOf) as [string, string, string, string];

describe("the example of the format's description", () => {
  const file = createExample();
  const [system] = file.pointSystems;
  const [token, giftCard] = system.rewards;
  let loaded: LoadedFixture;
  let before: Date;

  beforeAll(async () => {
    before = new Date();
    loaded = await load(file);
  });

  test("tells what the database holds of it", () => {
    expect(loaded).toEqual({
      pointSystems: [
        {
          id: system.id,
          name: "Alpha",
          slug: system.slug,
          shortId: expect.stringMatching(/^[0-9A-Z]{4}$/),
          wallets: 3,
          events: 2,
          triggers: 1,
          rewards: 2,
        },
      ],
      apiKeys: [
        {
          id: expect.any(String),
          name: "backend",
          lastFour: file.apiKeys[0].key.slice(-4),
          permission: "all",
          pointSystems: 1,
        },
      ],
    });
  });

  test("the operator can sign in", async () => {
    const [operator] = await withDatabase((db) =>
      db.select().from(operators).where(eq(operators.email, system.operator)),
    );
    expect(operator).toMatchObject({ name: "Ops" });
    expect(await verifyPassword(operator?.passwordHash ?? "", "a long passphrase")).toBe(true);
  });

  test("the point system and its trigger are there", async () => {
    const [row] = await withDatabase((db) =>
      db
        .select()
        .from(pointSystems)
        .innerJoin(triggers, eq(triggers.pointSystemId, pointSystems.id))
        .where(eq(pointSystems.id, system.id)),
    );
    expect(row).toMatchObject({
      point_systems: { name: "Alpha", slug: system.slug },
      triggers: { key: "daily_login", name: "Daily login", points: 10, isActive: true },
    });
  });

  test("the events are there; one without a date is of the moment of loading", async () => {
    const [first, second, ...others] = await listEvents(system.id);
    expect(first).toMatchObject({
      id: system.events[0].id,
      address: A,
      points: 10,
      balance: 10,
      event: "daily_login",
      createdAt: new Date("2026-01-02T03:04:05.000Z"),
      apiKeyId: null,
      idempotencyKey: null,
    });
    expect(second).toMatchObject({ address: B, points: 25, balance: 25, event: null });
    expect(Math.abs((second?.createdAt.getTime() ?? 0) - before.getTime())).toBeLessThan(10_000);
    expect(others).toEqual([]);
  });

  test("events and registrations make wallets, blacklist entries do not", async () => {
    expect(await listWallets(system.id)).toMatchObject([
      { address: A, points: 10, events: 1, isBlacklisted: false },
      { address: B, points: 25, events: 1, isBlacklisted: false },
      { address: C, points: 0, events: 0, isBlacklisted: false },
    ]);
    expect(await getTotals(system.id)).toMatchObject({
      wallets: 3,
      events: 2,
      blacklistedWallets: 0,
    });
    const entries = await withDatabase((db) =>
      db.select().from(blacklist).where(eq(blacklist.pointSystemId, system.id)),
    );
    expect(entries).toEqual([
      {
        pointSystemId: system.id,
        address: D,
        reason: "sybil",
        createdAt: new Date("2026-02-01T00:00:00.000Z"),
      },
    ]);
    await expectSoundLedger();
  });

  test("the token reward is there with its airdrop and distribution", async () => {
    const [row] = await withDatabase((db) =>
      db
        .select()
        .from(rewards)
        .innerJoin(airdrops, eq(airdrops.rewardId, rewards.id))
        .innerJoin(distributions, eq(distributions.rewardId, rewards.id))
        .where(eq(rewards.id, token.id)),
    );
    expect(row).toMatchObject({
      rewards: {
        pointSystemId: system.id,
        kind: "token",
        campaignId: token.campaignId,
        campaignName: "Season one",
        tokenType: "custom",
        tokenAddress: addressOf("11"),
        tokenSymbol: "ABC",
        tokenDecimals: 18,
        chainId: 84532,
        totalAmountWei: 1_000_500_000_000_000_000_000n,
        minPoints: 100,
        maxPoints: 5000,
        status: "distributed",
        claimDeadline: null,
        createdAt: new Date("2026-03-01T00:00:00.000Z"),
      },
      airdrops: {
        chainId: 84532,
        contractAddress: addressOf("22"),
        onchainId: BigInt(token.airdrop.onchainId),
        status: "active",
      },
      distributions: {
        id: token.distributions[0].id,
        address: A,
        amountWei: 400_250_000_000_000_000_000n,
        bucket: 0,
        leafIndex: 0,
        distributedAt: new Date("2026-03-02T00:00:00.000Z"),
        claimedAt: null,
        claimTxHash: null,
      },
    });
  });

  test("the gift card is there, its code encrypted", async () => {
    const [row] = await withDatabase((db) =>
      db
        .select()
        .from(giftCards)
        .innerJoin(giftCardTiers, eq(giftCardTiers.rewardId, giftCards.rewardId))
        .where(eq(giftCards.rewardId, giftCard.id)),
    );
    expect(row).toMatchObject({
      gift_card_tiers: { label: "Gold", position: 0 },
      gift_cards: {
        id: giftCard.tiers[0].cards[0].id,
        tierLabel: "Gold",
        address: A,
        isRevealed: false,
        claimedAt: null,
        distributedAt: new Date("2026-03-02T00:00:00.000Z"),
      },
    });
    const card = row?.gift_cards as typeof giftCards.$inferSelect;
    expect(decryptGiftCardCode(keyring, card, card)).toBe("AAAA-BBBB");
  });

  test("the API key is there by its hash, with its scope", async () => {
    const tokenHash = hashApiKeyToken(file.apiKeys[0].key);
    const rows = await withDatabase((db) =>
      db
        .select()
        .from(apiKeys)
        .innerJoin(apiKeyPointSystems, eq(apiKeyPointSystems.apiKeyId, apiKeys.id))
        .where(eq(apiKeys.tokenHash, tokenHash)),
    );
    expect(rows).toMatchObject([
      {
        api_keys: { name: "backend", permission: "all", lastFour: file.apiKeys[0].key.slice(-4) },
        api_key_point_systems: { pointSystemId: system.id },
      },
    ]);
  });

  test("no secret of the file is anywhere in the database", async () => {
    const dump = JSON.stringify(await dumpDatabase());
    const secrets = [file.apiKeys[0].key, "a long passphrase", "AAAA-BBBB"];
    for (const secret of secrets) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });

  test("loaded again, it changes nothing at all", async () => {
    const dump = await dumpDatabase();
    expect(await load(file)).toEqual(loaded);
    expect(await dumpDatabase()).toEqual(dump);
  });
});
