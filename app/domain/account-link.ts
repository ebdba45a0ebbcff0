import { createHash, randomBytes } from "node:crypto";

/** What a link that was handed to someone does. */
export type AccountLinkKind = "invitation" | "password_reset";

const TOKEN_BYTES = 32;

/** Makes the secret part of a link. It is shown once and never stored. */
export function generateLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** The SHA-256 of a link's token: the only form in which it is stored and looked up. */
export function hashLinkToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
