import { randomBytes } from "node:crypto";
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
export type Keyring = ReadonlyMap<string, Buffer>;

const KEY_BYTES = 32;
const KEY_PATTERN = /^([a-z0-9]{1,16}):([0-9a-f]{64})$/;
const KEY_FILE = "gift-card-keys";

/**
 * Reads a keyring written as `ID:KEY,ID:KEY`, the ids of a-z and 0-9, the keys 64 hexadecimal
 * digits.
 * @throws {Error} without any part of the text in its message
 */
export function parseKeys(text: string): Keyring {
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
export function describeKeys(env: KeyEnvironment): string {
  return isKeyOwn(env) ? path.join(env.DATA_DIR, KEY_FILE) : "GIFT_CARD_KEYS";
}

/**
 * Opens the keyring: the keys of the environment, or, for the embedded database, a key that is made
 * once and kept beside it.
 * @throws {Error} when an external database is used and the environment has no keys
 */
export function openKeyring(env: KeyEnvironment): Keyring {
  if (env.GIFT_CARD_KEYS !== undefined) return parseKeys(env.GIFT_CARD_KEYS);
  if (env.DATABASE_URL !== undefined) {
    throw new Error(
      "Gift card codes need a key: set GIFT_CARD_KEYS to ID:KEY, the KEY 64 hexadecimal characters",
    );
  }
  return parseKeys(readOrCreateKeyFile(env.DATA_DIR));
}

/** Checks whether the keys lie in the folder of the data that they encrypt. */
export function isKeyBesideData(env: KeyEnvironment): boolean {
  return isKeyOwn(env) && existsSync(path.join(env.DATA_DIR, KEY_FILE));
}

/** Checks whether there are keys, without making one. */
export function hasKeys(env: KeyEnvironment): boolean {
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
