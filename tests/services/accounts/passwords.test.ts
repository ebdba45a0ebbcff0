import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "../../../app/auth/passwords";

test("a password is hashed with argon2id, 19 MiB and two passes, under a salt of its own", async () => {
  const hashes = await Promise.all(["a long passphrase", "a long passphrase"].map(hashPassword));
  expect(hashes[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(hashes[0]).not.toBe(hashes[1]);
});

test("a hash is verified by its own password only", async () => {
  const hash = await hashPassword("a long passphrase");
  expect(await verifyPassword(hash, "a long passphrase")).toBe(true);
  expect(await verifyPassword(hash, "A long passphrase")).toBe(false);
  expect(await verifyPassword(hash, "")).toBe(false);
});
