import { beforeAll, expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import { previewGiftCards } from "../../../app/services/gift-cards/preview";
import { writeLedger } from "../../../app/services/ledger/write-ledger";
import { addLink, linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import {
  createActiveReward,
  createCodes,
  createGiftCardKey,
  readCards,
  useGiftCardKeys,
} from "../../support/gift-cards";
import { codeOf, createOwner, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";

beforeAll(() => useGiftCardKeys(createGiftCardKey("k1")));

type Owner = Awaited<ReturnType<typeof createOwner>>;

const link = (owner: Owner, address: Address, primaryAddress: Address) =>
  linkWallets(owner, { address, primaryAddress });

const createReward = (owner: Owner) =>
  createActiveReward(owner, [{ label: "Gold", minPoints: 50, codes: createCodes(5) }]);

async function listHolders(id: string): Promise<Address[]> {
  return (await readCards(id)).flatMap(({ address }) => (address ? [address] : []));
}

async function countWallets(owner: Owner, id: string) {
  const { preview } = await previewGiftCards(owner, id);
  const [{ eligible, served } = { eligible: -1, served: -1 }] = preview.tiers;
  return { eligible, served };
}

test("a holder gets one gift card of a reward for the same points, along all links and after unlinking", async () => {
  const owner = await createOwner();
  const [given, one, two] = [createAddress(), createAddress(), createAddress()];
  await grant(owner, given, 100);
  const id = await createReward(owner);
  await distributeGiftCards(owner, id, "everyone");
  await link(owner, given, one);
  expect(await countWallets(owner, id)).toEqual({ eligible: 0, served: 1 });
  expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe(
    "gift_cards_nobody_eligible",
  );
  await unlinkWallet(owner, given);
  await link(owner, one, two);
  expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe(
    "gift_cards_nobody_eligible",
  );
  // Back at the wallet that has the card.
  await unlinkWallet(owner, one);
  await link(owner, two, given);
  expect(await countWallets(owner, id)).toEqual({ eligible: 0, served: 1 });
  expect(await listHolders(id)).toEqual([given]);
});

test("a wallet in between gets a card for new points, and one with a card gets none", async () => {
  const owner = await createOwner();
  const [given, one, two] = [createAddress(), createAddress(), createAddress()];
  await grant(owner, given, 100);
  const id = await createReward(owner);
  await distributeGiftCards(owner, id, "everyone");
  await link(owner, given, one);
  await unlinkWallet(owner, given);
  await link(owner, one, two);
  await unlinkWallet(owner, one);
  for (const address of [given, one, two]) await grant(owner, address, 60);
  expect(await countWallets(owner, id)).toEqual({ eligible: 1, served: 2 });
  await distributeGiftCards(owner, id, "everyone");
  expect((await listHolders(id)).sort()).toEqual([given, one].sort());
});

test("a distribution that meets a link under way gives one card for the points", async () => {
  const owner = await createOwner();
  const [linked, primary] = [createAddress(), createAddress()];
  await grant(owner, linked, 100);
  const id = await createReward(owner);
  let distributing: Promise<unknown> | undefined;
  await writeLedger(owner.pointSystemId, async (tx) => {
    const pair = { address: linked, primaryAddress: primary };
    await addLink(tx, owner.pointSystemId, pair, { date: new Date(), operatorId: null });
    distributing = distributeGiftCards(owner, id, "everyone");
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  await distributing;
  expect(await codeOf(distributeGiftCards(owner, id, "everyone"))).toBe(
    "gift_cards_nobody_eligible",
  );
  expect(await listHolders(id)).toHaveLength(1);
});
