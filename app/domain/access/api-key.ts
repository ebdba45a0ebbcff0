import { createHash, randomBytes } from "node:crypto";

/** The permissions of a key: POST /trigger only, the read endpoints only, or both. */
export const PERMISSIONS = ["trigger", "read", "all"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The permission that an endpoint requires of a key; a key with `all` has both. */
export type NeededPermission = Exclude<Permission, "all">;

const TOKEN_PATTERN = /^rw_[0-9a-f]{32}$/i;

/** Makes a raw key: `rw_` and 16 random bytes in hex. It is shown once and never stored. */
export function generateApiKeyToken(): string {
  return `rw_${randomBytes(16).toString("hex")}`;
}

export function isApiKeyToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** Hashes a raw key with SHA-256: the only form in which it is stored and looked up. */
export function hashApiKeyToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
