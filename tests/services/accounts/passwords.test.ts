import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "../../../app/auth/passwords";
import { Failure } from "../../../app/domain/failure";
import { getFailureHeaders } from "../../../app/http/failures";
import * as bounded from "../../../app/services/accounts/passwords";

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

test("of 400 passwords at once a process checks 204, and refuses the others at once with 503 and Retry-After", async () => {
  // No password has this text as its hash, which is seen before a pass is made.
  const refusals: unknown[] = [];
  const checks = Array.from({ length: 400 }, () =>
    bounded.verifyPassword("no hash", "a long passphrase").catch((error: unknown) => {
      if (error instanceof Failure) refusals.push(error);
    }),
  );
  await Promise.all(checks);
  expect(refusals).toHaveLength(196);
  const [refusal] = refusals as Failure[];
  expect(refusal?.code).toBe("service_unavailable");
  expect(getFailureHeaders(refusal as Failure)).toEqual({ "Retry-After": "1" });
});
