import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { action as signInPage } from "../../../app/routes/accounts/sign-in";
import { action as account } from "../../../app/routes/dashboard/accounts/account";
import { createOperator, PASSWORD } from "../../support/operators";
import { callAction } from "../../support/pages";

let lastNetwork = 0;
/** Creates an address in a network that has made no attempt yet. */
const createIp = () => {
  lastNetwork += 1;
  return `2001:db8:${(Date.now() % 65_536).toString(16)}:${lastNetwork.toString(16)}::1`;
};

/** Sends the sign-in page's form, and returns the status and the browser's cookies afterwards. */
async function signIn(email: string, password: string, ip: string, cookies = "") {
  const actor = { operatorId: "", email, ip, requestId: randomUUID() };
  const body = new URLSearchParams({ email, password });
  const answer = await callAction(signInPage, actor, cookies, {}, body);
  if (!(answer instanceof Response)) {
    return { status: (answer as { init?: ResponseInit }).init?.status ?? 200, cookies };
  }
  const set = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  return { status: answer.status, cookies: set.join("; ") };
}

const guess = (email: string, ip: string, cookies = "") =>
  signIn(email, "a bad guess", ip, cookies);

test("guesses of strangers keep nobody out of a browser in which they signed in before", async () => {
  const { email } = await createOperator();
  const ip = createIp();
  const first = await signIn(email, PASSWORD, ip);
  expect(first.status).toBe(302);
  // From many networks, and from the operator's own.
  for (let n = 0; n < 12; n += 1) await guess(email, createIp());
  for (let n = 0; n < 12; n += 1) await guess(`${randomUUID()}@example.com`, ip);
  expect((await signIn(email, PASSWORD, createIp())).status).toBe(429);
  expect((await signIn(email, PASSWORD, ip, first.cookies)).status).toBe(302);
});

test("guesses of strangers keep nobody from giving the password within a session", async () => {
  const { id, email } = await createOperator();
  const ip = createIp();
  const { cookies } = await signIn(email, PASSWORD, ip);
  for (let n = 0; n < 12; n += 1) await guess(email, ip);
  const actor = { operatorId: id, email, ip, requestId: randomUUID() };
  const newPassword = "another long passphrase";
  const body = new URLSearchParams({ intent: "password", currentPassword: PASSWORD, newPassword });
  const answer = await callAction(account, actor, cookies, {}, body);
  expect(answer).toBeInstanceOf(Response);
});

test("a known browser has ten guesses itself, and those of one account open no other", async () => {
  const [ada, eve] = [await createOperator(), await createOperator()];
  const { cookies } = await signIn(eve.email, PASSWORD, createIp());
  for (let n = 0; n < 10; n += 1) {
    expect((await guess(eve.email, createIp(), cookies)).status).toBe(401);
  }
  expect((await signIn(eve.email, PASSWORD, createIp(), cookies)).status).toBe(429);
  // Strangers are still let try, with a budget of their own.
  expect((await signIn(eve.email, PASSWORD, createIp())).status).toBe(302);
  for (let n = 0; n < 10; n += 1) await guess(ada.email, createIp(), cookies);
  expect((await signIn(ada.email, PASSWORD, createIp(), cookies)).status).toBe(429);
});
