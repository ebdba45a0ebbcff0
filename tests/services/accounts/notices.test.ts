import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { action as signInPage } from "../../../app/routes/accounts/sign-in";
import { action as account } from "../../../app/routes/dashboard/accounts/account";
import { changePassword } from "../../../app/services/accounts/account";
import { beginAuthenticator } from "../../../app/services/accounts/authenticator";
import { listNotices } from "../../../app/services/accounts/notices";
import { endSessionsOf, resetFactors } from "../../../app/services/accounts/operators";
import { createResetLink, resetPassword } from "../../../app/services/accounts/password-reset";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import {
  createAdministrator,
  createOperator,
  createOrigin,
  PASSWORD,
  toActor,
} from "../../support/operators";
import { callAction, startTestSession } from "../../support/pages";

test("a sign-in from a browser that is not known is told, one from a known browser is not", async () => {
  const { id, email } = await createOperator();
  const enter = async (cookies: string) => {
    const actor = { operatorId: id, email, ip: "192.0.2.44", requestId: randomUUID() };
    const body = new URLSearchParams({ email, password: PASSWORD });
    const answer = (await callAction(signInPage, actor, cookies, {}, body)) as Response;
    return answer.headers.getSetCookie().join("; ");
  };
  const first = await enter("");
  // The first of all browsers is nothing new.
  expect(await listNotices(id)).toEqual([]);
  await enter(first);
  expect(await listNotices(id)).toEqual([]);
  const second = await enter("");
  await enter(second);
  expect(await listNotices(id)).toMatchObject([{ kind: "new_device", ip: "192.0.2.44" }]);
});

test("the first sign-in after an operator was signed out everywhere is told", async () => {
  const { id, email } = await createOperator();
  const enter = (ip: string) => {
    const actor = { operatorId: id, email, ip, requestId: randomUUID() };
    return callAction(
      signInPage,
      actor,
      "",
      {},
      new URLSearchParams({ email, password: PASSWORD }),
    );
  };
  await enter("192.0.2.45");
  await endSessionsOf(await createAdministrator(), id);
  await enter("192.0.2.46");
  expect(await listNotices(id)).toMatchObject([{ kind: "new_device", ip: "192.0.2.46" }]);
});

test("changes of credentials and links made for one are told, until they are dismissed", async () => {
  const operator = await createOperator();
  const actor = toActor(operator);
  const by = await createAdministrator();
  const { token } = await createResetLink(by, operator.id);
  await resetPassword(token, "another long passphrase", createOrigin());
  await changePassword(actor, { current: "another long passphrase", next: PASSWORD });
  await resetFactors(by, operator.id);
  // Nothing has changed yet.
  useGiftCardKeys(createGiftCardKey("k1"));
  await beginAuthenticator(actor);
  const details = (await listNotices(operator.id)).map(({ kind, detail }) => [kind, detail]);
  expect(details).toEqual([
    ["credential", "all second factors removed"],
    ["credential", "password"],
    ["credential", "password, by a link"],
    ["reset_link", by.actor.email],
  ]);
  const other = await createOperator();
  await createResetLink(by, other.id);
  const cookie = await startTestSession(actor);
  await callAction(account, actor, cookie, {}, new URLSearchParams({ intent: "dismiss" }));
  expect(await listNotices(operator.id)).toEqual([]);
  expect(await listNotices(other.id)).toHaveLength(1);
});
