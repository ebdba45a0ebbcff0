import { expect, test, vi } from "vitest";
import { createOperator, createOrigin, PASSWORD } from "../../support/operators";

test("operators sign in again after a process was too busy for its first sign-in", async () => {
  const { email } = await createOperator();
  vi.resetModules(); // as in a process that has just started
  const passwords = await import("../../../app/auth/passwords");
  const { signIn } = await import("../../../app/services/accounts/sign-in");
  const credentials = { email, password: PASSWORD };
  vi.spyOn(passwords, "hashPassword").mockRejectedValueOnce(new Error("too busy"));
  await expect(signIn(credentials, createOrigin())).rejects.toThrow("too busy");
  expect(await signIn(credentials, createOrigin())).toMatchObject({ email });
});
