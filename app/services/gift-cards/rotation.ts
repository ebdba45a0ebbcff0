import { type SQL, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { recordAudit } from "../access/audit-log";
import { getKeyring } from "../keyring/keyring";
import type { Keyring } from "../keyring/keys";
import { encryptGiftCardCode } from "./codes";
import { createFingerprinter, getCurrentKeyId } from "./fingerprints";
import { createSealer, decryptForHolder, type HeldCard } from "./seals";

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

interface StoredCard extends HeldCard {
  /** The place of the row (ctid), which is its own while it is locked. */
  readonly place: string;
  readonly pointSystemId: string;
  readonly hasFingerprint: boolean;
}

/**
 * Re-encrypts every code that is not under the first key, or is of an earlier version, and renews its fingerprint. It works in
 * batches, can stop at any point and resume, and may run while servers that have both keys read,
 * add and assign cards.
 * @param report called after each batch with the number of codes that are done
 */
export async function rotateGiftCardKeys(
  keyring: Keyring,
  report: (rotated: number) => void = () => {},
): Promise<Rotation> {
  const damaged = new Set<string>();
  let rotated = 0;
  let before = -1;
  const which = sql`code_key_id = any(${toArrayLiteral([...keyring.keys()])}::text[])
    and (code_key_id <> ${getCurrentKeyId(keyring)} or not needs_seal)`;
  for (let pass = 1; pass <= PASSES_MAX && rotated !== before; pass += 1) {
    before = rotated;
    await renewCards(keyring, which, (batch) => {
      rotated += batch.rotated;
      for (const id of batch.damaged) damaged.add(id);
      if (batch.rotated > 0) report(rotated);
    });
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

/** Encrypts the codes of earlier versions again, so that only the present holders of their cards get them. */
export async function sealOldCodes(): Promise<boolean> {
  const [found] = await withDatabase((db) =>
    db.execute(sql`select from gift_cards where not needs_seal limit 1`),
  );
  if (found) await renewCards(getKeyring(), sql`not needs_seal`, () => {});
  return false;
}

/** Renews the cards that a condition chooses, in the order of their primary keys, a batch at a time. */
async function renewCards(
  keyring: Keyring,
  which: SQL,
  onBatch: (batch: BatchOutcome) => void,
): Promise<void> {
  let after: StoredCard | null = null;
  do {
    const batch: BatchOutcome = await rotateBatch(keyring, which, after);
    onBatch(batch);
    after = batch.last;
  } while (after);
}

interface BatchOutcome {
  readonly rotated: number;
  readonly damaged: readonly string[];
  readonly last: StoredCard | null;
}

function rotateBatch(
  keyring: Keyring,
  which: SQL,
  after: StoredCard | null,
): Promise<BatchOutcome> {
  return inTransaction(async (tx) => {
    const cards = await holdCards(tx, which, after);
    const damaged: string[] = [];
    const renewed = cards.flatMap((card) => {
      const renewal = renewCode(keyring, card);
      if (!renewal) damaged.push(card.id);
      return renewal ? [{ ...card, ...renewal }] : [];
    });
    await storeCards(tx, renewed);
    return { rotated: renewed.length, damaged, last: cards.at(-1) ?? null };
  });
}

/**
 * Locks the next cards in the order of their primary keys. Cards that are locked already are left
 * for later. Whatever the statistics say, it goes on from the last card, and sorts none.
 */
async function holdCards(
  tx: Transaction,
  which: SQL,
  after: StoredCard | null,
): Promise<StoredCard[]> {
  await tx.execute(sql`
    select set_config(name, 'off', true)
    from unnest('{enable_seqscan,enable_sort,enable_incremental_sort}'::text[]) name`);
  return tx.execute<{ [Key in keyof StoredCard]: StoredCard[Key] }>(sql`
    select ctid as place, point_system_id as "pointSystemId", reward_id as "rewardId", id,
      code_ciphertext as "codeCiphertext", code_nonce as "codeNonce", code_key_id as "codeKeyId",
      needs_seal as "needsSeal", '0x' || encode(address, 'hex') as address,
      holder_seal as "holderSeal", code_fingerprint is not null as "hasFingerprint"
    from gift_cards
    where ${which}
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
function renewCode(keyring: Keyring, card: StoredCard) {
  let code: string;
  try {
    code = decryptForHolder(keyring, card);
  } catch {
    return null;
  }
  const keyId = getCurrentKeyId(keyring);
  const makeFingerprint = createFingerprinter(keyring, keyId, card.rewardId);
  return {
    ...encryptGiftCardCode(keyring, card, code),
    holderSeal: card.address === null ? null : createSealer(keyring, keyId)(card, card.address),
    // A fixture may repeat a code. Such a card has no fingerprint, before and after.
    fingerprint: card.hasFingerprint ? makeFingerprint(code) : null,
  };
}

async function storeCards(
  tx: Transaction,
  cards: readonly (StoredCard & { fingerprint: Buffer | null; holderSeal: Buffer | null })[],
): Promise<void> {
  if (cards.length === 0) return;
  await tx.execute(sql`
    update gift_cards c set code_ciphertext = n.code_ciphertext, code_nonce = n.code_nonce,
      code_key_id = n.code_key_id, code_fingerprint = n.code_fingerprint,
      holder_seal = n.holder_seal, needs_seal = true
    from unnest(
      ${toArrayLiteral(cards.map(({ place }) => place))}::tid[],
      ${toArrayLiteral(cards.map(({ codeCiphertext }) => Buffer.from(codeCiphertext)))}::bytea[],
      ${toArrayLiteral(cards.map(({ codeNonce }) => Buffer.from(codeNonce)))}::bytea[],
      ${toArrayLiteral(cards.map(({ codeKeyId }) => codeKeyId))}::text[],
      ${toArrayLiteral(cards.map(({ fingerprint }) => fingerprint))}::bytea[],
      ${toArrayLiteral(cards.map(({ holderSeal }) => holderSeal))}::bytea[]
    ) as n(place, code_ciphertext, code_nonce, code_key_id, code_fingerprint, holder_seal)
    where c.ctid = n.place`);
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
