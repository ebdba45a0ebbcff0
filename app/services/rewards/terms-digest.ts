import { createHash } from "node:crypto";
import { deriveId } from "../../domain/derived-id";

/** Makes a digest by which the terms that an operator saw are compared with those that are stored. */
export function digestValues(values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 32);
}

/**
 * Derives a draft's id from its form and its terms: the same form sent twice finds its draft, and with other terms it
 * makes another one.
 * @param token the token of the form
 * @param terms the digest of the terms
 */
export function deriveDraftId(token: string, pointSystemId: string, terms: string): string {
  return deriveId(token, pointSystemId, terms);
}
