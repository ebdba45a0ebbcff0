import { createHash, randomBytes } from "node:crypto";

/** The purpose of an account link. */
export type AccountLinkKind = "invitation" | "password_reset";

/** The pages that links open. */
const PATHS = {
  invitation: "/invitation",
  password_reset: "/reset-password",
  set_up: "/set-up",
} as const satisfies Record<AccountLinkKind | "set_up", string>;

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
 * Builds the URL of a link. Its token is in the fragment, which browsers send to no server: it is in
 * no log of a proxy and in no Referer.
 * @param origin the public address of this service
 */
export function getAccountLink(kind: keyof typeof PATHS, token: string, origin: string): string {
  return `${origin}${PATHS[kind]}#token=${token}`;
}

/** Finds the token in a link, or in the part of it that a person copied. */
export function findLinkToken(link: string): string {
  return link.slice(link.lastIndexOf("=") + 1).trim();
}
