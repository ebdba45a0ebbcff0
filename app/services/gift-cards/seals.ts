import { createHmac, timingSafeEqual } from "node:crypto";
import type { Keyring } from "../keyring/keys";
import { decryptGiftCardCode, type EncryptedCode, type GiftCardRow } from "./codes";
import { deriveKey } from "./fingerprints";

// A seal binds a card to its holder: the service makes it when it assigns the card, and decrypts a code only for the
// address that the seal names. Who writes to the database without the keys can give a card to no other address.

/** A card as its row has it, with its holder. */
export interface HeldCard extends GiftCardRow, EncryptedCode {
  /** `0x` and 40 hexadecimal digits; null in the pool. */
  readonly address: string | null;
  readonly holderSeal: Uint8Array | null;
}

/**
 * Creates a function that seals cards whose codes are under a key. A seal is a MAC, which takes no decryption: a
 * hundred thousand cards are assigned at once.
 * @throws {Failure} `gift_card_keys_missing`
 */
export function createSealer(
  keyring: Keyring,
  keyId: string,
): (row: GiftCardRow, address: string) => Buffer {
  const key = deriveKey(keyring, keyId, "gift-card-holder");
  // Each part has a fixed length, so that no two cards and holders give the same bytes.
  return ({ id, rewardId }, address) =>
    createHmac("sha256", key).update(`${id}${rewardId}${address}`.toLowerCase()).digest();
}

/**
 * Decrypts a card's code for its holder.
 * @throws {Error} when the service has not assigned the card to this address, and as `decryptGiftCardCode`
 */
export function decryptForHolder(keyring: Keyring, card: HeldCard): string {
  const code = decryptGiftCardCode(keyring, card, card);
  if (card.needsSeal && card.address !== null && !isSealed(keyring, card, card.address)) {
    throw new Error(`Card ${card.id} was not assigned to its holder by this service`);
  }
  return code;
}

function isSealed(keyring: Keyring, card: HeldCard, address: string): boolean {
  const { holderSeal } = card;
  if (holderSeal?.length !== 32) return false;
  return timingSafeEqual(createSealer(keyring, card.codeKeyId)(card, address), holderSeal);
}
