import { expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import { rotateGiftCardKeys } from "../../../app/services/gift-cards/rotation";
import { addGiftCardCodes } from "../../../app/services/gift-cards/stock";
import { getKeyring } from "../../../app/services/keyring/keyring";
import {
  createActiveReward,
  createCodes,
  createGiftCardKey,
  useGiftCardKeys as openKeys,
  storeWallets,
} from "../../support/gift-cards";
import { createOwner } from "../../support/operators";
import { countEntriesRead, other } from "../../support/test-database";

const CARDS = 4_000;
const WALLETS = 300;
const OLD_KEY = createGiftCardKey("old");
const NEW_KEY = createGiftCardKey("new");

const toAddress = (i: number): Address => `0x${i.toString(16).padStart(40, "0")}`;

/** Counts the entries that the work on a reward's cards reads: new codes, a distribution, and new keys. */
async function countRead(): Promise<Record<string, number>> {
  openKeys(OLD_KEY);
  const owner = await createOwner();
  const codes = createCodes(CARDS);
  const id = await createActiveReward(owner, [{ label: "Gold", minPoints: 1, codes }]);
  const wallets = Array.from({ length: WALLETS }, (_, i) => ({ address: toAddress(i), points: 5 }));
  await storeWallets(owner, wallets);
  const count = (work: () => Promise<unknown>) => countEntriesRead("gift_cards", work);
  const read = {
    adding: await count(() => addGiftCardCodes(owner, id, "Gold", createCodes(WALLETS))),
    distributing: await count(() => distributeGiftCards(owner, id, "everyone")),
    rotating: await count(async () => {
      openKeys(NEW_KEY, OLD_KEY);
      const { rotated } = await rotateGiftCardKeys(getKeyring());
      expect(rotated).toBeGreaterThanOrEqual(CARDS + WALLETS);
    }),
  };
  await other`delete from gift_cards where reward_id = ${id}`;
  return read;
}

test("work on gift cards reads each card a few times, without statistics and with old ones", async () => {
  await other`alter table gift_cards set (autovacuum_enabled = off)`;
  for (const statistics of ["none", "old"]) {
    const read = await countRead();
    for (const [work, entries] of Object.entries(read)) {
      expect.soft(entries, `${work} with ${statistics}`).toBeLessThan(8 * CARDS);
    }
    // They know a few cards of another point system.
    openKeys(OLD_KEY);
    await createActiveReward(await createOwner(), [
      { label: "Gold", minPoints: 1, codes: createCodes(50) },
    ]);
    await other`vacuum analyze gift_cards`;
  }
}, 60_000);
