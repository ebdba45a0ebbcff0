import { hash, verify } from "@node-rs/argon2";

/**
 * Argon2id, the library's default variant; about 8 ms of one core.
 * Source: OWASP Password Storage Cheat Sheet, m=19456 (19 MiB), t=2, p=1.
 */
const ARGON2_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password with a random salt. The hash contains the salt and the parameters. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON2_OPTIONS);
}

/** Checks a password against a hash. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}
