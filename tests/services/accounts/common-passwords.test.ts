import { describe, expect, test, vi } from "vitest";
import { changePassword } from "../../../app/services/accounts/account";
import { createInvitation } from "../../../app/services/accounts/account-links";
import { isCommonPassword } from "../../../app/services/accounts/common-passwords";
import { acceptAsNewOperator } from "../../../app/services/accounts/invitations";
import { createResetLink, resetPassword } from "../../../app/services/accounts/password-reset";
import { signUp } from "../../../app/services/accounts/sign-up";
import {
  codeOf,
  createAdministrator,
  createOperator,
  createOrigin,
  createOwner,
  describeOperator,
  PASSWORD,
  toActor,
} from "../../support/operators";

test.each([
  "password1234",
  "PASSWORD1234",
  "passwordpassword",
  "qwertyuiop123",
  "123456789012",
  "1q2w3e4r5t6y",
  "aaaaaaaaaaaa",
  "administrator",
  "ｐａｓｓｗｏｒｄ１２３４",
])("%s is a common password", async (password) => {
  expect(await isCommonPassword(password)).toBe(true);
});

test.each([
  PASSWORD,
  "another long passphrase",
  "correct horse battery staple",
  "password1234 ",
  "\npassword1234",
  "ssword1234",
  "",
  "administrator\nadministrators",
])("%j is none", async (password) => {
  expect(await isCommonPassword(password)).toBe(false);
});

test("the list is read again after it could not be read", async () => {
  vi.resetModules();
  const fs = await vi.importActual<typeof import("node:fs/promises")>("node:fs/promises");
  const readFile = vi.fn(fs.readFile).mockRejectedValueOnce(new Error("too many open files"));
  vi.doMock("node:fs/promises", () => ({ ...fs, readFile }));
  const { isCommonPassword: check } = await import(
    "../../../app/services/accounts/common-passwords"
  );
  await expect(check("password1234")).rejects.toThrow("too many open files");
  expect(await check("password1234")).toBe(true);
});

describe("a password that is common or contains a name is refused with the reason", () => {
  const COMMON = "Password1234";
  const NAMED = "Lovelace by the sea";
  const person = () => ({ ...describeOperator(), name: "Ada Lovelace" });

  test("at sign-up and by invitation, after which the link still works", async () => {
    const token = await createInvitation(await createOwner(), "viewer");
    for (const [password, code] of [
      [COMMON, "password_common"],
      [NAMED, "password_names"],
    ] as const) {
      const account = { ...person(), password };
      expect(await codeOf(signUp(account, createOrigin()))).toBe(code);
      expect(await codeOf(acceptAsNewOperator(token, account, createOrigin()))).toBe(code);
    }
    expect((await acceptAsNewOperator(token, person(), createOrigin())).name).toBe("Ada Lovelace");
  });

  test("when it is changed, as often as one likes, and by a link", async () => {
    const operator = await createOperator();
    const actor = toActor(operator);
    for (let n = 0; n < 12; n += 1) {
      const change = changePassword(actor, { current: PASSWORD, next: COMMON });
      expect(await codeOf(change)).toBe("password_common");
    }
    const { token } = await createResetLink(await createAdministrator(), operator.id);
    expect(await codeOf(resetPassword(token, COMMON, createOrigin()))).toBe("password_common");
    const mailbox = operator.email.split("@")[0] ?? "";
    const named = resetPassword(token, `my ${mailbox}`, createOrigin());
    expect(await codeOf(named)).toBe("password_names");
    expect((await resetPassword(token, "a brand new passphrase", createOrigin()))?.id).toBe(
      operator.id,
    );
  });
});
