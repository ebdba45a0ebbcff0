import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Keyring } from "./keys";

/** An encrypted text, for any table. */
export interface EncryptedText {
  /** The ciphertext, followed by the 16 bytes of the authentication tag. */
  readonly ciphertext: Uint8Array;
  readonly nonce: Uint8Array;
  readonly keyId: string;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text with the first key. Source: NIST SP 800-38D, with a random 96-bit nonce, which is
 * safe for 2^32 texts per key.
 * @param associatedData names the row and the purpose: the text decrypts only with the same
 */
export function encryptText(keyring: Keyring, associatedData: Buffer, text: string): EncryptedText {
  const [current] = keyring;
  if (current === undefined) throw new Error("The keyring is empty");
  const [keyId, key] = current;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(associatedData);
  const parts = [cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return { ciphertext: Buffer.concat(parts), nonce, keyId };
}

/**
 * Decrypts a text.
 * @throws {Error} when its key is not in the keyring, or when ciphertext, nonce and associated data
 *   do not belong together
 */
export function decryptText(
  keyring: Keyring,
  associatedData: Buffer,
  { ciphertext, nonce, keyId }: EncryptedText,
): string {
  const key = keyring.get(keyId);
  if (key === undefined) throw new Error(`GIFT_CARD_KEYS has no key "${keyId}"`);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(associatedData)
    .setAuthTag(ciphertext.subarray(-TAG_BYTES));
  const encrypted = ciphertext.subarray(0, -TAG_BYTES);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString("utf8");
}
