import { createHash, randomBytes } from "node:crypto";

/** The purpose of an account link. */
export type AccountLinkKind = "invitation" | "password_reset";

const PATHS = {
  invitation: "/invitation",
  password_reset: "/reset-password",
} as const satisfies Record<AccountLinkKind, string>;

const TOKEN_BYTES = 32;

/** Makes the secret part of a link. It is shown once and never stored. */
export function generateLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Hashes a link's token with SHA-256: the only form in which it is stored and looked up. */
export function hashLinkToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/**
 * Builds the URL of an account link.
 * @param origin the public address of this service
 */
export function getAccountLink(kind: AccountLinkKind, token: string, origin: string): string {
  return `${origin}${PATHS[kind]}?token=${token}`;
}
