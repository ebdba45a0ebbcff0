import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import type { Member } from "../../../app/services/access/members";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import { getGiftCardReward } from "../../../app/services/gift-cards/gift-cards";
import { listRecipients, listReveals } from "../../../app/services/gift-cards/recipients";
import { revealGiftCard } from "../../../app/services/gift-cards/reveal";
import { rotateGiftCardKeys, sealOldCodes } from "../../../app/services/gift-cards/rotation";
import { addGiftCardCodes } from "../../../app/services/gift-cards/stock";
import { encryptText } from "../../../app/services/keyring/encryption";
import { parseKeys } from "../../../app/services/keyring/keys";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import {
  createActiveReward,
  createCodes,
  createGiftCardKey,
  readCards,
  storeWallets,
  useGiftCardKeys,
} from "../../support/gift-cards";
import { codeOf, createOwner, failureOf, tally } from "../../support/operators";
import { createAddress } from "../../support/scene";

const [OLD, NEW] = [createGiftCardKey("old"), createGiftCardKey("new")];
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let owner: Member<"owner">;
let holders: Address[];
let codes: string[];
let rewardId: string;

beforeEach(async () => {
  useGiftCardKeys(OLD);
  owner = await createOwner();
  holders = [createAddress(), createAddress()];
  codes = createCodes(3);
  await storeWallets(
    owner,
    holders.map((address) => ({ address, points: 10 })),
  );
  rewardId = await createActiveReward(owner, [{ label: "Gold", minPoints: 1, codes }]);
  await distributeGiftCards(owner, rewardId, "everyone");
});

async function findCard(address: Address | null) {
  const card = (await readCards(rewardId)).find((found) => found.address === address);
  if (!card) throw new Error("There is no such card");
  return card;
}

const ask = (cardId: string, address: Address, ip = "192.0.2.7") => ({
  pointSystemId: owner.pointSystemId,
  cardId,
  address,
  ip,
  userAgent: BROWSER,
});

/** Returns the first wallet that has a card. */
const holder = () => holders[0] ?? createAddress();

async function setStatus(status: string): Promise<void> {
  await withDatabase((db) =>
    db.execute(sql`update rewards set status = ${status} where id = ${rewardId}`),
  );
}

describe("a reveal", () => {
  test("shows the code to its holder, as often as asked, and notes each time", async () => {
    const { id } = await findCard(holder());
    const first = await revealGiftCard(ask(id, holder()));
    expect(codes).toContain(first.code);
    const again = await revealGiftCard(ask(id, holder(), "198.51.100.9"));
    expect(again).toEqual(first);
    expect(await findCard(holder())).toMatchObject({ isRevealed: true });
    const { rows } = await listReveals(owner, { rewardId, address: null, cursor: null });
    expect(rows).toMatchObject([
      { address: holder(), tier: "Gold", userAgent: "Firefox on Linux" },
      { address: holder(), tier: "Gold", userAgent: "Firefox on Linux" },
    ]);
    expect(rows[0]?.network).toMatch(/^[0-9a-f]{8}$/);
    expect(rows[0]?.network).not.toBe(rows[1]?.network);
    expect((await getGiftCardReward(owner, rewardId)).tiers).toMatchObject([{ revealed: 1 }]);
    const recipients = await listRecipients(owner, { rewardId, address: holder(), cursor: null });
    expect(recipients.rows).toMatchObject([{ isRevealed: true, claimedAt: first.claimedAt }]);
  });

  test("is refused to everybody else, and to the holder of another card, in the same words", async () => {
    const { id } = await findCard(holder());
    const pool = await findCard(null);
    const other = await createOwner();
    const refused = [
      ask(id, createAddress()),
      ask(id, holders[1] ?? createAddress()),
      ask(pool.id, holder()),
      { ...ask(id, holder()), pointSystemId: other.pointSystemId },
    ].map((request) => revealGiftCard(request));
    expect(await tally(refused)).toEqual({ not_found: 4 });
    expect(await findCard(holder())).toMatchObject({ isRevealed: false, claimedAt: null });
    const { rows } = await listReveals(owner, { rewardId, address: null, cursor: null });
    expect(rows).toEqual([]);
  });

  test("is refused when the reward is cancelled or a draft, and to a wallet that is blacklisted now", async () => {
    const { id } = await findCard(holder());
    for (const status of ["cancelled", "draft"]) {
      await setStatus(status);
      expect(await codeOf(revealGiftCard(ask(id, holder())))).toBe("gift_card_unavailable");
    }
    await setStatus("distributed");
    await addToBlacklist(owner, [{ address: holder(), reason: null }]);
    expect(await codeOf(revealGiftCard(ask(id, holder())))).toBe("wallet_blacklisted");
    await removeFromBlacklist(owner, [holder()]);
    expect(codes).toContain((await revealGiftCard(ask(id, holder()))).code);
  });

  test("is refused beyond 20 in a day, also when they come at once, and says when to come back", async () => {
    const { id } = await findCard(holder());
    const outcomes = await tally(
      Array.from({ length: 30 }, () => revealGiftCard(ask(id, holder()))),
    );
    expect(outcomes).toEqual({ succeeded: 20, too_many_reveals: 10 });
    const { details } = await failureOf(revealGiftCard(ask(id, holder())));
    expect(details.retryAfterSeconds).toBeGreaterThan(86_000);
    await withDatabase((db) =>
      db.execute(sql`
        update gift_card_reveals set revealed_at = revealed_at - interval '1 day 1 second'`),
    );
    expect(codes).toContain((await revealGiftCard(ask(id, holder()))).code);
  });

  test("marks nothing when the code cannot be decrypted: the key is missing, or rows were swapped", async () => {
    const { id } = await findCard(holder());
    useGiftCardKeys(NEW);
    expect(await codeOf(revealGiftCard(ask(id, holder())))).toBe("gift_card_keys_missing");
    useGiftCardKeys(OLD);
    await withDatabase((db) =>
      db.execute(sql`
        update gift_cards c set code_ciphertext = o.code_ciphertext, code_nonce = o.code_nonce
        from gift_cards o
        where c.id = ${id} and o.reward_id = ${rewardId} and o.address is null`),
    );
    await expect(revealGiftCard(ask(id, holder()))).rejects.toThrow(/authenticate/);
    expect(await findCard(holder())).toMatchObject({ isRevealed: false, claimedAt: null });
  });
});

describe("a seal", () => {
  const give = (id: string, address: Address) =>
    withDatabase((db) =>
      db.execute(sql`
        update gift_cards set address = ${Buffer.from(address.slice(2), "hex")},
          distributed_at = now()
        where id = ${id}`),
    );
  /** Stores the reward's codes anew, as earlier versions did. */
  async function makeOld(): Promise<void> {
    const cards = await readCards(rewardId);
    for (const [i, { id }] of cards.entries()) {
      const code = codes[i] ?? "";
      const { ciphertext, nonce } = encryptText(
        parseKeys(OLD),
        Buffer.from(`${id}${rewardId}`),
        code,
      );
      await withDatabase((db) =>
        db.execute(sql`
          update gift_cards set needs_seal = false, holder_seal = null,
            code_fingerprint = null, code_ciphertext = ${Buffer.from(ciphertext)}, code_nonce = ${Buffer.from(nonce)}
          where id = ${id}`),
      );
    }
  }

  test("keeps a code from the address that somebody writes into its row by hand", async () => {
    const [thief, { id }, pool] = [createAddress(), await findCard(holder()), await findCard(null)];
    for (const card of [id, pool.id]) {
      await give(card, thief);
      await expect(revealGiftCard(ask(card, thief))).rejects.toThrow(/was not assigned/);
    }
    // Nor does another card's seal help, or the mark of codes of earlier versions.
    await withDatabase((db) =>
      db.execute(sql`
        update gift_cards set holder_seal = (
          select holder_seal from gift_cards where reward_id = ${rewardId}
            and address = ${Buffer.from(holders[1]?.slice(2) ?? "", "hex")}
        ) where id = ${id}`),
    );
    await expect(revealGiftCard(ask(id, thief))).rejects.toThrow(/was not assigned/);
    await withDatabase((db) =>
      db.execute(sql`update gift_cards set needs_seal = false where id = ${id}`),
    );
    await expect(revealGiftCard(ask(id, thief))).rejects.toThrow(/authenticate/);
    // A rotation gives it no seal either.
    await withDatabase((db) =>
      db.execute(sql`update gift_cards set needs_seal = true where id = ${id}`),
    );
    const { damaged } = await rotateGiftCardKeys(parseKeys(`${NEW},${OLD}`));
    expect(damaged).toContain(id);
  });

  test("comes to the codes of earlier versions without loss, and holds from then on", async () => {
    const { id } = await findCard(holder());
    await makeOld();
    const { code } = await revealGiftCard(ask(id, holder()));
    expect(codes).toContain(code);
    await sealOldCodes();
    expect((await revealGiftCard(ask(id, holder()))).code).toBe(code);
    const thief = createAddress();
    await give(id, thief);
    await expect(revealGiftCard(ask(id, thief))).rejects.toThrow(/was not assigned/);
  });

  test("is of the new key after a rotation, and a card of an earlier version gets one as it is assigned", async () => {
    await makeOld();
    const late = createAddress();
    await storeWallets(owner, [{ address: late, points: 10 }]);
    await distributeGiftCards(owner, rewardId, "everyone");
    await rotateGiftCardKeys(parseKeys(`${NEW},${OLD}`));
    useGiftCardKeys(NEW);
    for (const address of [...holders, late]) {
      const { id } = await findCard(address);
      expect(codes).toContain((await revealGiftCard(ask(id, address))).code);
    }
  });
});

describe("a rotation", () => {
  const BOTH = parseKeys(`${NEW},${OLD}`);

  test("puts every code under the first key, after which the old one can go", async () => {
    const { id } = await findCard(holder());
    const before = await revealGiftCard(ask(id, holder()));
    const { rotated, lacking, held } = await rotateGiftCardKeys(BOTH);
    // The cards of the other tests are among them.
    expect(rotated).toBeGreaterThanOrEqual(3);
    expect([lacking.size, held]).toEqual([0, 0]);
    useGiftCardKeys(NEW);
    expect((await readCards(rewardId)).map(({ keyId }) => keyId)).toEqual(["new", "new", "new"]);
    expect(await revealGiftCard(ask(id, holder()))).toEqual(before);
    expect(await addGiftCardCodes(owner, rewardId, "Gold", codes)).toEqual({
      added: 0,
      present: 3,
    });
    expect((await rotateGiftCardKeys(BOTH)).rotated).toBe(0);
  });

  test("goes on while holders look at their codes, codes are added and cards given away", async () => {
    await addGiftCardCodes(owner, rewardId, "Gold", createCodes(1_500));
    await storeWallets(
      owner,
      Array.from({ length: 300 }, () => ({ address: createAddress(), points: 5 })),
    );
    // Every server has both keys before a rotation begins.
    useGiftCardKeys(NEW, OLD);
    const { id } = await findCard(holder());
    let isRotating = true;
    const rotation = rotateGiftCardKeys(BOTH).finally(() => {
      isRotating = false;
    });
    const seen = new Set<string>();
    const look = async () => {
      for (let i = 0; i < 15 && isRotating; i += 1) {
        seen.add((await revealGiftCard(ask(id, holder()))).code);
      }
    };
    const giveAndAdd = async () => {
      const { assigned } = await distributeGiftCards(owner, rewardId, "everyone");
      return { assigned, ...(await addGiftCardCodes(owner, rewardId, "Gold", codes)) };
    };
    const [done] = await Promise.all([giveAndAdd(), look()]);
    await rotation;
    expect(done).toEqual({ assigned: 300, added: 0, present: 3 });
    expect(seen.size).toBeLessThanOrEqual(1);
    expect((await rotateGiftCardKeys(BOTH)).held).toBe(0);
    useGiftCardKeys(NEW);
    const cards = await readCards(rewardId);
    expect(cards).toHaveLength(1_503);
    expect(new Set(cards.map(({ keyId }) => keyId))).toEqual(new Set(["new"]));
  });

  test("leaves what it has no key for, and what was tampered with, and tells of both", async () => {
    const { id } = await findCard(holder());
    const pool = await findCard(null);
    await withDatabase((db) =>
      db.execute(sql`
        update gift_cards set code_key_id = case when id = ${pool.id} then 'lost' else code_key_id end,
          code_nonce = case when id = ${id} then decode('000000000000000000000000', 'hex')
            else code_nonce end
        where id in (${id}, ${pool.id})`),
    );
    const { lacking, damaged } = await rotateGiftCardKeys(BOTH);
    expect(lacking.get("lost")).toBe(1);
    expect(damaged).toContain(id);
    const keyIds = (await readCards(rewardId)).map(({ keyId }) => keyId).sort();
    expect(keyIds).toEqual(["lost", "new", "old"]);
  });
});
