import { hash, randomBytes } from "node:crypto";

/**
 * The permissions of a key: crediting only, the read endpoints only, both, or the management API. A
 * key that manages neither credits nor reads.
 */
export const PERMISSIONS = ["trigger", "read", "all", "manage"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The permission that an endpoint requires of a key. */
export type NeededPermission = Exclude<Permission, "all">;

/** Checks whether a key may call an endpoint; one with `all` credits and reads. */
export function hasPermission(permission: Permission | null, needed: NeededPermission): boolean {
  return permission === needed || (permission === "all" && needed !== "manage");
}

const TOKEN_PATTERN = /^rw_[0-9a-f]{32}$/i;

/** The beginning of the keys of sandboxes, within the form of all keys. Other new keys never begin so. */
export const SANDBOX_KEY_PREFIX = "rw_7e57";

/**
 * Makes a raw key: `rw_` and 32 hexadecimal characters, at least 28 of them random. It is shown once and
 * never stored.
 */
export function generateApiKeyToken(isSandbox = false): string {
  const token = `rw_${randomBytes(16).toString("hex")}`;
  if (isSandbox) return SANDBOX_KEY_PREFIX + token.slice(SANDBOX_KEY_PREFIX.length);
  return token.startsWith(SANDBOX_KEY_PREFIX) ? generateApiKeyToken() : token;
}

export function isApiKeyToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** Hashes a raw key with SHA-256: the only form in which it is stored and looked up. */
export function hashApiKeyToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

const HINT_LENGTH = 6;

/**
 * Returns the first characters of a key's hash, by which people tell their keys apart. They reveal
 * nothing of the key.
 */
export function getApiKeyHint(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString("hex").slice(0, HINT_LENGTH);
}
