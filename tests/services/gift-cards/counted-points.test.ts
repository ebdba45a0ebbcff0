import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import type { Member } from "../../../app/services/access/members";
import { createBoard, deleteBoard, endBoard } from "../../../app/services/board/boards";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import {
  createGiftCardReward,
  publishGiftCardReward,
  updateGiftCardReward,
} from "../../../app/services/gift-cards/drafts";
import { getGiftCardReward } from "../../../app/services/gift-cards/gift-cards";
import { previewGiftCards } from "../../../app/services/gift-cards/preview";
import { addGiftCardCodes } from "../../../app/services/gift-cards/stock";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { spendPoints } from "../../../app/services/ledger/spending";
import { listPointsChoices } from "../../../app/services/rewards/points-choice";
import { linkWallets } from "../../../app/services/wallet-links/links";
import { createActive } from "../../support/campaign-drafts";
import { atDepth } from "../../support/depth";
import {
  createCodes,
  createGiftCardKey,
  publishAsSeen,
  readCards,
  useGiftCardKeys,
} from "../../support/gift-cards";
import { codeOf, createOwner, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { other } from "../../support/test-database";

type Owner = Member<"owner">;

const DAY_MS = 86_400_000;
const TIERS = [
  { label: "Silver", minPoints: 5 },
  { label: "Gold", minPoints: 10 },
];

beforeAll(() => useGiftCardKeys(createGiftCardKey("k1")));

async function createSeason(owner: Owner): Promise<void> {
  await createBoard(owner, {
    ...{ kind: "season", slug: "spring", name: "Spring", timeZone: "UTC", isPublic: true },
    season: { startsAt: new Date(Date.now() - DAY_MS), endsAt: new Date(Date.now() + DAY_MS) },
  });
}

async function createDraft(owner: Owner, pointsCounted: string): Promise<string> {
  const terms = { name: "Thanks", tiers: TIERS, pointsCounted };
  const { id } = await createGiftCardReward(owner, terms);
  for (const { label } of TIERS) await addGiftCardCodes(owner, id, label, createCodes(20));
  return id;
}

async function listHolders(id: string): Promise<Map<string, string>> {
  const cards = await readCards(id);
  return new Map(cards.flatMap(({ address, tier }) => (address ? [[address, tier]] : [])));
}

const spend = ({ pointSystemId }: Owner, walletAddress: Address, points: number) =>
  spendPoints(
    { id: randomUUID() },
    { pointSystemId, walletAddress, points, reason: "Mug", idempotencyKey: null },
  );

const points = fc.integer({ min: 0, max: 14 });
/** A wallet's points in the season, after it, the part of both that it spends, and its blacklisting. */
const Wallets = fc.array(
  fc.record({
    before: points,
    after: points,
    spent: points,
    banned: fc.constantFrom("never", "never", "before", "after"),
  }),
  { minLength: 1, maxLength: 8 },
);

test("a card follows the points that its reward counts: all, a board's at its end, or the balance", async () => {
  await fc.assert(
    fc.asyncProperty(Wallets, async (drawn) => {
      const owner = await createOwner();
      const wallets = drawn.map((wallet) => {
        const all = wallet.before + wallet.after;
        const spent = Math.min(wallet.spent, all);
        return { ...wallet, all, spent, balance: all - spent, address: createAddress() };
      });
      const ban = (when: string) => {
        const addresses = wallets.filter(({ banned }) => banned === when);
        return addToBlacklist(
          owner,
          addresses.map(({ address }) => ({ address, reason: null })),
        );
      };
      // Somebody earns in the season in any case: without a window no board can be chosen.
      await createSeason(owner);
      await grant(owner, createAddress(), 1);
      for (const { address, before } of wallets)
        if (before > 0) await grant(owner, address, before);
      const ids = {
        all: await createDraft(owner, ""),
        before: await createDraft(owner, "season:spring"),
        balance: await createDraft(owner, "balance"),
      };
      expect(await codeOf(publishAsSeen(owner, ids.before))).toBe("points_board_open");
      await ban("before");
      await endBoard(owner, "spring");
      for (const { address, after, banned } of wallets) {
        if (after > 0 && banned !== "before") await grant(owner, address, after);
      }
      for (const { address, spent, banned } of wallets) {
        if (spent > 0 && banned !== "before") await spend(owner, address, spent);
      }
      await ban("after");
      for (const [counted, id] of Object.entries(ids) as ["all" | "before" | "balance", string][]) {
        await publishAsSeen(owner, id);
        const expected = new Map(
          wallets
            .filter((wallet) => wallet.banned === "never" && wallet[counted] >= 5)
            .map((wallet) => [wallet.address as string, wallet[counted] >= 10 ? "Gold" : "Silver"]),
        );
        const { preview } = await previewGiftCards(owner, id);
        const count = (tier: string) => [...expected.values()].filter((own) => own === tier).length;
        expect(preview.tiers.map(({ eligible }) => eligible)).toEqual(
          TIERS.map(({ label }) => count(label)),
        );
        if (expected.size === 0) {
          expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe(
            "gift_cards_nobody_eligible",
          );
          continue;
        }
        await distributeGiftCards(owner, id, "everyone");
        expect(await listHolders(id)).toEqual(expected);
        const after = await previewGiftCards(owner, id);
        expect(after.preview.tiers.map(({ served, eligible }) => [served, eligible])).toEqual(
          TIERS.map(({ label }) => [count(label), 0]),
        );
      }
    }),
    { numRuns: atDepth(3, 20) },
  );
}, 300_000);

test("no card by a board that has ended goes to a wallet whose primary wallet is blacklisted, and the preview says so", async () => {
  const owner = await createOwner();
  const [linked, primary, free] = [createAddress(), createAddress(), createAddress()];
  await createSeason(owner);
  for (const address of [linked, free]) await grant(owner, address, 10);
  const id = await createDraft(owner, "season:spring");
  await endBoard(owner, "spring");
  await linkWallets(owner, { address: linked, primaryAddress: primary });
  await addToBlacklist(owner, [{ address: primary, reason: null }]);
  await publishAsSeen(owner, id);
  const { preview } = await previewGiftCards(owner, id);
  expect(preview.tiers.map(({ eligible }) => eligible)).toEqual([0, 1]);
  expect(preview.excluded).toEqual({
    count: 1,
    wallets: [{ address: linked, points: 10, label: "Gold" }],
  });
  await distributeGiftCards(owner, id, "everyone");
  expect(await listHolders(id)).toEqual(new Map([[free, "Gold"]]));
});

test("a board that ended without a writer since is closed by the publication", async () => {
  const owner = await createOwner();
  const wallet = createAddress();
  await createSeason(owner);
  await grant(owner, wallet, 7);
  const id = await createDraft(owner, "season:spring");
  await other`
    update board_windows set ends_at = statement_timestamp() where point_system_id = ${owner.pointSystemId}`;
  await publishAsSeen(owner, id);
  await grant(owner, wallet, 70);
  await distributeGiftCards(owner, id, "everyone");
  expect(await listHolders(id)).toEqual(new Map([[wallet, "Silver"]]));
});

test("a deleted board hands out nothing, and campaigns or unknown boards cannot be chosen", async () => {
  const owner = await createOwner();
  await createSeason(owner);
  await grant(owner, createAddress(), 7);
  const id = await createDraft(owner, "season:spring");
  const late = await createDraft(owner, "season:spring");
  await endBoard(owner, "spring");
  await publishAsSeen(owner, id);
  await deleteBoard(owner, "spring");
  expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe("board_not_found");
  expect(await codeOf(publishAsSeen(owner, late))).toBe("board_not_found");
  expect((await listHolders(id)).size).toBe(0);
  const campaign = await createActive(owner);
  const create = (pointsCounted: string) =>
    codeOf(createGiftCardReward(owner, { name: "Thanks", tiers: TIERS, pointsCounted }));
  expect(await create(campaign.id)).toBe("points_campaign_unknown");
  expect(await create("season:autumn")).toBe("board_not_found");
  const choices = await listPointsChoices(owner.pointSystemId, "giftcard", "");
  expect(choices.map(({ value }) => value)).toEqual(["", "balance"]);
});

test("a draft is published only with the points that the operator saw", async () => {
  const owner = await createOwner();
  const id = await createDraft(owner, "");
  const { terms } = await getGiftCardReward(owner, id);
  await updateGiftCardReward(owner, id, { name: "Thanks", tiers: TIERS, pointsCounted: "balance" });
  expect(await codeOf(publishGiftCardReward(owner, id, terms))).toBe("gift_card_reward_moved_on");
});

test("a draft's points can change until it is published", async () => {
  const owner = await createOwner();
  const wallet = createAddress();
  await grant(owner, wallet, 12);
  await spend(owner, wallet, 6);
  const id = await createDraft(owner, "");
  await updateGiftCardReward(owner, id, { name: "Thanks", tiers: TIERS, pointsCounted: "balance" });
  await publishAsSeen(owner, id);
  expect(await getGiftCardReward(owner, id)).toMatchObject({ pointsBoard: "balance" });
  const late = updateGiftCardReward(owner, id, { name: "Thanks", tiers: TIERS });
  expect(await codeOf(late)).toBe("gift_card_reward_moved_on");
  await distributeGiftCards(owner, id, "everyone");
  expect(await listHolders(id)).toEqual(new Map([[wallet, "Silver"]]));
});
