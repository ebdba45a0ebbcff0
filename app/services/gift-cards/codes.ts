import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { makeDir } from "../../process/make-dir.mjs";

/**
 * The encryption keys by their ids. The first one encrypts; each one decrypts, so that keys can be
 * rotated.
 */
export type GiftCardKeyring = ReadonlyMap<string, Buffer>;

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
const KEY_BYTES = 32;
const KEY_PATTERN = /^([a-z0-9]{1,16}):([0-9a-f]{64})$/;
const KEY_FILE = "gift-card-keys";

/** Encrypts a code with the first key. */
export function encryptGiftCardCode(
  keyring: GiftCardKeyring,
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
  keyring: GiftCardKeyring,
  row: GiftCardRow,
  { codeCiphertext, codeNonce, codeKeyId, needsSeal }: EncryptedCode,
): string {
  const text = { ciphertext: codeCiphertext, nonce: codeNonce, keyId: codeKeyId };
  return decryptText(keyring, toAssociatedData(row, needsSeal), text);
}

/**
 * Encrypts a text with the first key. Source: NIST SP 800-38D, with a random 96-bit nonce, which is
 * safe for 2^32 texts per key.
 * @param associatedData names the row and the purpose: the text decrypts only with the same
 */
export function encryptText(
  keyring: GiftCardKeyring,
  associatedData: Buffer,
  text: string,
): EncryptedText {
  const [current] = keyring;
  if (current === undefined) throw new Error("The gift card keyring is empty");
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
  keyring: GiftCardKeyring,
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

/**
 * Reads a keyring written as `ID:KEY,ID:KEY`, the ids of a-z and 0-9, the keys 64 hexadecimal
 * digits.
 * @throws {Error} without any part of the text in its message
 */
export function parseGiftCardKeys(text: string): GiftCardKeyring {
  const keyring = new Map<string, Buffer>();
  for (const pair of text.trim().split(",")) {
    const [, id, key] = KEY_PATTERN.exec(pair) ?? [];
    if (id === undefined || key === undefined) {
      throw new Error("Gift card keys must be ID:KEY pairs, each KEY 64 hexadecimal characters");
    }
    if (keyring.has(id)) throw new Error("Two gift card keys have the same id");
    keyring.set(id, Buffer.from(key, "hex"));
  }
  return keyring;
}

/** The settings that say where the keys are. */
export interface KeyEnvironment {
  readonly GIFT_CARD_KEYS?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR: string;
}

const isKeyOwn = ({ GIFT_CARD_KEYS, DATABASE_URL }: KeyEnvironment) =>
  GIFT_CARD_KEYS === undefined && DATABASE_URL === undefined;

/** Names the place of the keys. */
export function describeGiftCardKeys(env: KeyEnvironment): string {
  return isKeyOwn(env) ? path.join(env.DATA_DIR, KEY_FILE) : "GIFT_CARD_KEYS";
}

/**
 * Opens the keyring: the keys of the environment, or, for the embedded database, a key that is made
 * once and kept beside it.
 * @throws {Error} when an external database is used and the environment has no keys
 */
export function openGiftCardKeyring(env: KeyEnvironment): GiftCardKeyring {
  if (env.GIFT_CARD_KEYS !== undefined) return parseGiftCardKeys(env.GIFT_CARD_KEYS);
  if (env.DATABASE_URL !== undefined) {
    throw new Error(
      "Gift card codes need a key: set GIFT_CARD_KEYS to ID:KEY, the KEY 64 hexadecimal characters",
    );
  }
  return parseGiftCardKeys(readOrCreateKeyFile(env.DATA_DIR));
}

/** Checks whether the keys lie in the folder of the data that they encrypt. */
export function isKeyBesideData(env: KeyEnvironment): boolean {
  return isKeyOwn(env) && existsSync(path.join(env.DATA_DIR, KEY_FILE));
}

/** Checks whether there are keys, without making one. */
export function hasGiftCardKeys(env: KeyEnvironment): boolean {
  return env.GIFT_CARD_KEYS !== undefined || isKeyBesideData(env);
}

function readOrCreateKeyFile(dataDir: string): string {
  const file = path.join(dataDir, KEY_FILE);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (getCode(error) !== "ENOENT") throw error;
  }
  makeDir(dataDir);
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, `k1:${randomBytes(KEY_BYTES).toString("hex")}\n`, {
      flag: "wx",
      mode: 0o600,
    });
    flush(draft);
    // A hard link appears with its whole content, and never replaces another process's file.
    linkSync(draft, file);
    if (process.platform !== "win32") flush(dataDir);
  } catch (error) {
    if (getCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8");
}

/** Writes a file to disk, before a code is stored that only this key decrypts. */
function flush(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function getCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

/**
 * Makes the associated data of a row: two UUIDs of fixed length, so that no two rows give the same
 * bytes, and a mark of codes that need a seal.
 */
function toAssociatedData({ id, rewardId }: GiftCardRow, needsSeal: boolean): Buffer {
  return Buffer.from(`${id}${rewardId}`.toLowerCase() + (needsSeal ? "sealed" : ""), "utf8");
}
