import { decryptText, encryptText } from "../keyring/encryption";
import type { Keyring } from "../keyring/keys";

/** The row to which a code belongs. A ciphertext that is moved to another row does not decrypt. */
export interface GiftCardRow {
  readonly id: string;
  readonly rewardId: string;
}

/** A code as the table `gift_cards` holds it. */
export interface EncryptedCode {
  /** The ciphertext, followed by the 16 bytes of the authentication tag. */
  readonly codeCiphertext: Uint8Array;
  readonly codeNonce: Uint8Array;
  readonly codeKeyId: string;
  /** Whether only the holder that the row's seal names may have it (seals.ts). It cannot be changed afterwards. */
  readonly needsSeal: boolean;
}

/** Encrypts a code with the first key. */
export function encryptGiftCardCode(
  keyring: Keyring,
  row: GiftCardRow,
  code: string,
): EncryptedCode {
  const { ciphertext, nonce, keyId } = encryptText(keyring, toAssociatedData(row, true), code);
  return { codeCiphertext: ciphertext, codeNonce: nonce, codeKeyId: keyId, needsSeal: true };
}

/**
 * Decrypts a code, whoever holds it. For a holder, `decryptForHolder` does.
 * @throws {Error} when its key is not in the keyring, or when ciphertext, nonce and row do not belong
 *   together
 */
export function decryptGiftCardCode(
  keyring: Keyring,
  row: GiftCardRow,
  { codeCiphertext, codeNonce, codeKeyId, needsSeal }: EncryptedCode,
): string {
  const text = { ciphertext: codeCiphertext, nonce: codeNonce, keyId: codeKeyId };
  return decryptText(keyring, toAssociatedData(row, needsSeal), text);
}

/**
 * Makes the associated data of a row: two UUIDs of fixed length, so that no two rows give the same
 * bytes, and a mark of codes that need a seal.
 */
function toAssociatedData({ id, rewardId }: GiftCardRow, needsSeal: boolean): Buffer {
  return Buffer.from(`${id}${rewardId}`.toLowerCase() + (needsSeal ? "sealed" : ""), "utf8");
}
