import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import { getGiftCardReward } from "../../../app/services/gift-cards/gift-cards";
import { previewGiftCards } from "../../../app/services/gift-cards/preview";
import { listRecipients } from "../../../app/services/gift-cards/recipients";
import { addGiftCardCodes } from "../../../app/services/gift-cards/stock";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { atDepth } from "../../support/depth";
import {
  createActiveReward,
  createCodes,
  createGiftCardKey,
  readCards,
  storeWallets,
  useGiftCardKeys,
} from "../../support/gift-cards";
import { codeOf, createOwner, failureOf, grant, tally } from "../../support/operators";
import { createAddress } from "../../support/scene";

beforeAll(() => useGiftCardKeys(createGiftCardKey("k1")));

const toAddress = (i: number): Address => `0x${i.toString(16).padStart(40, "0")}`;
const LABELS = ["Gold", "Silver", "Bronze"];

/** Wallets, tiers with stock, and the parameters of a distribution. */
const Worlds = fc.record({
  wallets: fc.array(
    fc.record({ points: fc.integer({ min: 0, max: 12 }), isBlacklisted: fc.boolean() }),
    { maxLength: 12 },
  ),
  tiers: fc
    .uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 })
    .chain((thresholds) =>
      fc.record({
        thresholds: fc.constant(thresholds),
        stock: fc.array(fc.integer({ min: 0, max: 6 }), {
          minLength: thresholds.length,
          maxLength: thresholds.length,
        }),
      }),
    ),
  rule: fc.constantFrom("everyone" as const, "most-points" as const),
});

test("every eligible wallet gets at most one card, of its tier, the richest first, never more than there are", async () => {
  await fc.assert(
    fc.asyncProperty(Worlds, async ({ wallets: drawn, tiers: { thresholds, stock }, rule }) => {
      const owner = await createOwner();
      const wallets = drawn.map((wallet, i) => ({ ...wallet, address: toAddress(i + 1) }));
      if (wallets.length > 0) await storeWallets(owner, wallets);
      const tiers = thresholds.map((minPoints, i) => ({
        label: LABELS[i] ?? "",
        minPoints,
        codes: createCodes(stock[i] ?? 0),
      }));
      const id = await createActiveReward(owner, tiers);
      // The expected result, following the interface's own description.
      const expected = tiers.map(({ label, minPoints, codes }) => {
        const eligible = wallets
          .filter(({ points, isBlacklisted }) => {
            const reached = thresholds.filter((threshold) => points >= threshold);
            return !isBlacklisted && Math.max(...reached) === minPoints;
          })
          .sort((a, b) => b.points - a.points || a.address.localeCompare(b.address))
          .map(({ address }) => address);
        return { label, eligible, given: eligible.slice(0, codes.length) };
      });
      const isShort = expected.some(({ eligible, given }) => given.length < eligible.length);
      const given = expected.flatMap((tier) => tier.given);
      const goes = given.length > 0 && (rule === "most-points" || !isShort);
      const { preview } = await previewGiftCards(owner, id);
      expect(preview.tiers.map(({ eligible, missing }) => [eligible, missing])).toEqual(
        expected.map((tier) => [tier.eligible.length, tier.eligible.length - tier.given.length]),
      );

      const outcome = await tally([distributeGiftCards(owner, id, rule)]);
      expect(outcome.succeeded === 1).toBe(goes);
      const cards = (await readCards(id)).filter(({ address }) => address !== null);
      expect(new Set(cards.map(({ address }) => address)).size).toBe(cards.length);
      for (const tier of expected) {
        const holders = cards.filter(({ tier: label }) => label === tier.label);
        expect(new Set(holders.map(({ address }) => address))).toEqual(
          new Set(goes ? tier.given : []),
        );
      }
      const { status, distributedAt } = await getGiftCardReward(owner, id);
      expect([status, distributedAt !== null]).toEqual([goes ? "distributed" : "active", goes]);
    }),
    { numRuns: atDepth(8, 25) },
  );
}, 120_000);

describe("a distribution", () => {
  test("that is started many times at once gives every wallet one card", async () => {
    const owner = await createOwner();
    await storeWallets(
      owner,
      Array.from({ length: 40 }, () => ({ address: createAddress(), points: 5 })),
    );
    const id = await createActiveReward(owner, [
      { label: "Gold", minPoints: 1, codes: createCodes(100) },
    ]);
    const outcomes = await tally(
      Array.from({ length: 6 }, () => distributeGiftCards(owner, id, "everyone")),
    );
    expect(outcomes.succeeded).toBe(1);
    expect((outcomes.gift_card_reward_busy ?? 0) + (outcomes.gift_cards_nobody_eligible ?? 0)).toBe(
      5,
    );
    expect((await getGiftCardReward(owner, id)).tiers).toMatchObject([
      { inPool: 60, assigned: 40 },
    ]);
  });

  test("says how many codes are missing where, and leaves everything as it was", async () => {
    const owner = await createOwner();
    await storeWallets(owner, [
      { address: createAddress(), points: 100 },
      { address: createAddress(), points: 100 },
      { address: createAddress(), points: 10 },
      { address: createAddress(), points: 10 },
      { address: createAddress(), points: 10 },
    ]);
    const id = await createActiveReward(owner, [
      { label: "Gold", minPoints: 100, codes: createCodes(1) },
      { label: "Silver", minPoints: 10, codes: createCodes(1) },
    ]);
    const failure = await failureOf(distributeGiftCards(owner, id, "everyone"));
    expect([failure.code, failure.details.name]).toEqual([
      "gift_cards_short",
      "1 more in Gold, 2 more in Silver",
    ]);
    expect((await readCards(id)).every(({ address }) => address === null)).toBe(true);
    expect((await getGiftCardReward(owner, id)).status).toBe("active");
  });

  test("can be made again, for wallets that became eligible since; those who moved up keep theirs", async () => {
    const owner = await createOwner();
    const [first, second, banned] = [createAddress(), createAddress(), createAddress()];
    await grant(owner, first, 10);
    const id = await createActiveReward(owner, [
      { label: "Gold", minPoints: 100, codes: createCodes(3) },
      { label: "Silver", minPoints: 10, codes: createCodes(1) },
    ]);
    await distributeGiftCards(owner, id, "everyone");
    const { distributedAt } = await getGiftCardReward(owner, id);
    expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe(
      "gift_cards_nobody_eligible",
    );
    await grant(owner, first, 500);
    await grant(owner, second, 20);
    await grant(owner, banned, 500);
    await addToBlacklist(owner, [{ address: banned, reason: null }]);
    expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe("gift_cards_short");
    await addGiftCardCodes(owner, id, "Silver", createCodes(1));
    const { preview } = await previewGiftCards(owner, id);
    expect(preview).toEqual({
      tiers: [
        { label: "Gold", minPoints: 100, eligible: 0, served: 1, inPool: 3, missing: 0 },
        { label: "Silver", minPoints: 10, eligible: 1, served: 0, inPool: 1, missing: 0 },
      ],
      excluded: { count: 1, wallets: [{ address: banned, points: 500, label: "Gold" }] },
    });
    expect(await distributeGiftCards(owner, id, "everyone")).toMatchObject({ assigned: 1 });
    const list = await listRecipients(owner, { rewardId: id, address: null, cursor: null });
    expect(list.rows.map(({ address, tier }) => [address, tier])).toEqual([
      [second, "Silver"],
      [first, "Silver"],
    ]);
    expect((await getGiftCardReward(owner, id)).distributedAt).toEqual(distributedAt);
  });

  test("reaches ten thousand wallets whole, and its list is read page by page", async () => {
    const owner = await createOwner();
    const count = 10_000;
    await storeWallets(
      owner,
      Array.from({ length: count }, (_, i) => ({ address: toAddress(i + 1), points: i + 1 })),
    );
    const id = await createActiveReward(owner, [
      { label: "Gold", minPoints: 5_001, codes: createCodes(count / 2) },
      { label: "Silver", minPoints: 1, codes: createCodes(count / 2) },
    ]);
    expect(await distributeGiftCards(owner, id, "everyone")).toMatchObject({ assigned: count });
    const seen = new Set<string>();
    let list = await listRecipients(owner, { rewardId: id, address: null, cursor: null });
    for (let page = 1; page <= 3; page += 1) {
      for (const { address, tier } of list.rows) {
        expect(tier).toBe(Number.parseInt(address, 16) > 5_000 ? "Gold" : "Silver");
        seen.add(address);
      }
      const last = list.rows.at(-1);
      if (!last) throw new Error("The page is empty");
      list = await listRecipients(owner, {
        rewardId: id,
        address: null,
        cursor: { side: "older", date: last.date, id: last.id },
      });
    }
    expect(seen.size).toBe(150);
    const one = await listRecipients(owner, { rewardId: id, address: toAddress(7), cursor: null });
    expect(one.rows).toMatchObject([{ address: toAddress(7), tier: "Silver", isRevealed: false }]);
  }, 60_000);
});
