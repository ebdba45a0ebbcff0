import { createHmac, hkdfSync } from "node:crypto";
import { Failure } from "../../domain/failure";
import type { Keyring } from "../keyring/keys";

const KEY_BYTES = 32;

/**
 * Creates a function that makes fingerprints, by which a reward's codes are compared without
 * decrypting them. The fingerprint's key is derived from the encryption key, so a copy of the
 * database alone does not help to guess codes. Source: RFC 5869 (HKDF), RFC 2104 (HMAC).
 * @throws {Failure} `gift_card_keys_missing`
 */
export function createFingerprinter(
  keyring: Keyring,
  keyId: string,
  rewardId: string,
): (code: string) => Buffer {
  const key = deriveKey(keyring, keyId, "gift-card-fingerprint");
  // A UUID has a fixed length, so the codes of two rewards never give the same bytes.
  return (code) => createHmac("sha256", key).update(rewardId.toLowerCase()).update(code).digest();
}

/** Hashes a client's network, so that it can be compared but not read. */
export function hashNetwork(keyring: Keyring, network: string): Buffer {
  const key = deriveKey(keyring, getCurrentKeyId(keyring), "gift-card-reveal-network");
  return createHmac("sha256", key).update(network).digest();
}

/**
 * Finds the id of the key that encrypts.
 * @throws {Failure} `gift_card_keys_missing` when the keyring is empty
 */
export function getCurrentKeyId(keyring: Keyring): string {
  const [id] = keyring.keys();
  if (id === undefined) throw new Failure("gift_card_keys_missing");
  return id;
}

/**
 * Derives a key of one purpose from an encryption key.
 * @throws {Failure} `gift_card_keys_missing`
 */
export function deriveKey(keyring: Keyring, keyId: string, purpose: string): Buffer {
  const key = keyring.get(keyId);
  if (!key) throw new Failure("gift_card_keys_missing");
  return Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES));
}
