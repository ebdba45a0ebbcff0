import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { type Transaction, withDatabase } from "../../db/client";
import { recordAudit } from "../access/audit-log";
import { decryptGiftCardCode, encryptGiftCardCode, type GiftCardKeyring } from "./codes";
import { createFingerprinter, getCurrentKeyId } from "./fingerprints";

/** Cards in one transaction. Their holders wait no longer than it takes. */
const BATCH_CARDS = 500;
/** The most passes over all cards. A pass skips cards that are locked. */
const PASSES_MAX = 10;

/** The result for the cards that were under another key than the first. */
export interface Rotation {
  readonly rotated: number;
  /** The number of cards that are left, by the key that the keyring lacks. */
  readonly lacking: ReadonlyMap<string, number>;
  /**
   * The cards whose code does not decrypt with its key, because they were changed in the database.
   */
  readonly damaged: readonly string[];
  /** The number of cards that were locked in every pass. */
  readonly held: number;
}

interface StoredCard {
  readonly pointSystemId: string;
  readonly rewardId: string;
  readonly id: string;
  readonly codeCiphertext: Uint8Array;
  readonly codeNonce: Uint8Array;
  readonly codeKeyId: string;
  readonly hasFingerprint: boolean;
}

/**
 * Re-encrypts every code that is not under the first key, and renews its fingerprint. It works in
 * batches, can stop at any point and resume, and may run while servers that have both keys read,
 * add and assign cards.
 * @param report called after each batch with the number of codes that are done
 */
export async function rotateGiftCardKeys(
  keyring: GiftCardKeyring,
  report: (rotated: number) => void = () => {},
): Promise<Rotation> {
  const damaged = new Set<string>();
  let rotated = 0;
  let before = -1;
  for (let pass = 1; pass <= PASSES_MAX && rotated !== before; pass += 1) {
    before = rotated;
    let after: StoredCard | null = null;
    do {
      const batch: BatchOutcome = await rotateBatch(keyring, after);
      rotated += batch.rotated;
      for (const id of batch.damaged) damaged.add(id);
      after = batch.last;
      if (batch.rotated > 0) report(rotated);
    } while (after);
  }
  const left = await countOthers(getCurrentKeyId(keyring));
  const lacking = new Map(
    left.filter(({ keyId }) => !keyring.has(keyId)).map(({ keyId, cards }) => [keyId, cards]),
  );
  const others = left
    .filter(({ keyId }) => keyring.has(keyId))
    .reduce((sum, { cards }) => sum + cards, 0);
  if (rotated > 0) {
    await withDatabase((db) =>
      recordAudit(db, null, {
        pointSystemId: null,
        action: "gift_codes.rotate",
        subject: `Key ${getCurrentKeyId(keyring)}`,
        after: { codes: rotated },
      }),
    );
  }
  return { rotated, lacking, damaged: [...damaged], held: Math.max(0, others - damaged.size) };
}

interface BatchOutcome {
  readonly rotated: number;
  readonly damaged: readonly string[];
  readonly last: StoredCard | null;
}

function rotateBatch(keyring: GiftCardKeyring, after: StoredCard | null): Promise<BatchOutcome> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const cards = await holdCards(tx, keyring, after);
      const damaged: string[] = [];
      const renewed = cards.flatMap((card) => {
        const renewal = renewCode(keyring, card);
        if (!renewal) damaged.push(card.id);
        return renewal ? [{ ...card, ...renewal }] : [];
      });
      await storeCards(tx, renewed);
      return { rotated: renewed.length, damaged, last: cards.at(-1) ?? null };
    }),
  );
}

/**
 * Locks the next cards in the order of their primary keys. Cards that are locked already are left
 * for later.
 */
async function holdCards(
  tx: Transaction,
  keyring: GiftCardKeyring,
  after: StoredCard | null,
): Promise<StoredCard[]> {
  const [current, ...others] = keyring.keys();
  if (others.length === 0) return [];
  return tx.execute<{ [Key in keyof StoredCard]: StoredCard[Key] }>(sql`
    select point_system_id as "pointSystemId", reward_id as "rewardId", id,
      code_ciphertext as "codeCiphertext", code_nonce as "codeNonce", code_key_id as "codeKeyId",
      code_fingerprint is not null as "hasFingerprint"
    from gift_cards
    where code_key_id <> ${current} and code_key_id = any(${toArrayLiteral(others)}::text[])
      and ${
        after
          ? sql`(point_system_id, reward_id, id)
              > (${after.pointSystemId}::uuid, ${after.rewardId}::uuid, ${after.id}::uuid)`
          : sql`true`
      }
    order by point_system_id, reward_id, id
    limit ${BATCH_CARDS}
    for no key update skip locked`);
}

/**
 * Re-encrypts a card's code under the first key.
 * @returns null when the code does not decrypt
 */
function renewCode(keyring: GiftCardKeyring, card: StoredCard) {
  let code: string;
  try {
    code = decryptGiftCardCode(keyring, card, card);
  } catch {
    return null;
  }
  const makeFingerprint = createFingerprinter(keyring, getCurrentKeyId(keyring), card.rewardId);
  return {
    ...encryptGiftCardCode(keyring, card, code),
    // A fixture may repeat a code. Such a card has no fingerprint, before and after.
    fingerprint: card.hasFingerprint ? makeFingerprint(code) : null,
  };
}

async function storeCards(
  tx: Transaction,
  cards: readonly (StoredCard & { fingerprint: Buffer | null })[],
): Promise<void> {
  if (cards.length === 0) return;
  await tx.execute(sql`
    update gift_cards c set code_ciphertext = n.code_ciphertext, code_nonce = n.code_nonce,
      code_key_id = n.code_key_id, code_fingerprint = n.code_fingerprint
    from unnest(
      ${toArrayLiteral(cards.map(({ pointSystemId }) => pointSystemId))}::uuid[],
      ${toArrayLiteral(cards.map(({ rewardId }) => rewardId))}::uuid[],
      ${toArrayLiteral(cards.map(({ id }) => id))}::uuid[],
      ${toArrayLiteral(cards.map(({ codeCiphertext }) => Buffer.from(codeCiphertext)))}::bytea[],
      ${toArrayLiteral(cards.map(({ codeNonce }) => Buffer.from(codeNonce)))}::bytea[],
      ${toArrayLiteral(cards.map(({ codeKeyId }) => codeKeyId))}::text[],
      ${toArrayLiteral(cards.map(({ fingerprint }) => fingerprint))}::bytea[]
    ) as n(point_system_id, reward_id, id, code_ciphertext, code_nonce, code_key_id, code_fingerprint)
    where c.point_system_id = n.point_system_id and c.reward_id = n.reward_id and c.id = n.id`);
}

/** Counts the cards under other keys than the first, by key. */
function countOthers(currentKeyId: string) {
  return withDatabase((db) =>
    db.execute<{ keyId: string; cards: number }>(sql`
      select code_key_id as "keyId", count(*)::float8 as cards from gift_cards
      where code_key_id <> ${currentKeyId}
      group by code_key_id
      order by code_key_id`),
  );
}
