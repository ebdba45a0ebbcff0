import { createHmac, hkdfSync } from "node:crypto";
import { Failure } from "../../domain/failure";
import type { GiftCardKeyring } from "./codes";

const KEY_BYTES = 32;

/**
 * Makes what tells a reward's codes apart without decrypting them. Who has the database alone cannot
 * guess codes by it: its key is derived from the one that encrypts.
 * Source: RFC 5869 (HKDF), RFC 2104 (HMAC).
 * @throws {Failure} `gift_card_keys_missing`
 */
export function createFingerprinter(
  keyring: GiftCardKeyring,
  keyId: string,
  rewardId: string,
): (code: string) => Buffer {
  const key = deriveKey(keyring, keyId, "gift-card-fingerprint");
  // A UUID has one length: no two rewards' codes give the same bytes.
  return (code) => createHmac("sha256", key).update(rewardId.toLowerCase()).update(code).digest();
}

/** Makes a client's network comparable, and not readable. */
export function hashNetwork(keyring: GiftCardKeyring, network: string): Buffer {
  const key = deriveKey(keyring, getCurrentKeyId(keyring), "gift-card-reveal-network");
  return createHmac("sha256", key).update(network).digest();
}

/** The id of the key that encrypts. */
export function getCurrentKeyId(keyring: GiftCardKeyring): string {
  const [id] = keyring.keys();
  if (id === undefined) throw new Failure("gift_card_keys_missing");
  return id;
}

function deriveKey(keyring: GiftCardKeyring, keyId: string, purpose: string): Buffer {
  const key = keyring.get(keyId);
  if (!key) throw new Failure("gift_card_keys_missing");
  return Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES));
}
