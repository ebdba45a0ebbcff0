import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { operators } from "../../../app/db/schema/operators";
import { setUpTokens } from "../../../app/db/schema/sessions";
import {
  createFirstOperator,
  createSetUpToken,
  hasOperators,
  isSetUpTokenValid,
} from "../../../app/services/accounts/set-up";
import { signIn } from "../../../app/services/accounts/sign-in";
import { signUp } from "../../../app/services/accounts/sign-up";
import {
  codeOf,
  createOperator,
  createOrigin,
  describeOperator,
  failureOf,
  tally,
} from "../../support/operators";

beforeEach(async () => {
  await withDatabase((db) => db.delete(operators));
  await withDatabase((db) => db.delete(setUpTokens));
});

const countOperators = () => withDatabase((db) => db.$count(operators));

async function openSetUp(): Promise<string> {
  const token = await createSetUpToken();
  if (!token) throw new Error("No token was made");
  return token;
}

test("the token makes the first operator, who can sign in", async () => {
  const token = await openSetUp();
  expect(await isSetUpTokenValid(token)).toBe(true);
  const ada = describeOperator();
  const { id } = await createFirstOperator(token, ada, createOrigin());
  expect(await hasOperators()).toBe(true);
  const { email, password } = ada;
  expect(await signIn({ email, password }, createOrigin())).toMatchObject({
    id,
    email,
    name: ada.name,
    isAdministrator: true,
  });
});

test("50 at once with one token make one operator", async () => {
  const token = await openSetUp();
  const attempts = Array.from({ length: 50 }, () =>
    createFirstOperator(token, describeOperator(), createOrigin()),
  );
  expect(await tally(attempts)).toEqual({ succeeded: 1, set_up_closed: 49 });
  expect(await countOperators()).toBe(1);
});

test("50 at once with the tokens of 5 instances make one operator", async () => {
  const tokens = await Promise.all(Array.from({ length: 5 }, openSetUp));
  const attempts = Array.from({ length: 50 }, (_, i) =>
    createFirstOperator(tokens[i % 5] as string, describeOperator(), createOrigin()),
  );
  expect(await tally(attempts)).toEqual({ succeeded: 1, set_up_closed: 49 });
  expect(await countOperators()).toBe(1);
});

test("a token is of no use once there is an operator, nor after that one is gone", async () => {
  const [used, other] = [await openSetUp(), await openSetUp()];
  await createFirstOperator(used, describeOperator(), createOrigin());
  for (const token of [used, other]) {
    expect(await isSetUpTokenValid(token)).toBe(false);
    const { code } = await failureOf(
      createFirstOperator(token, describeOperator(), createOrigin()),
    );
    expect(code).toBe("set_up_closed");
  }
  await withDatabase((db) => db.delete(operators));
  for (const token of [used, other]) expect(await isSetUpTokenValid(token)).toBe(false);
});

test("a token is of no use after a day", async () => {
  const token = await openSetUp();
  await withDatabase((db) =>
    db.execute(sql`update set_up_tokens set expires_at = expires_at - interval '24 hours'`),
  );
  const { code } = await failureOf(createFirstOperator(token, describeOperator(), createOrigin()));
  expect(code).toBe("set_up_link_invalid");
  expect(await countOperators()).toBe(0);
});

test.each(["", "nonsense", "\u0000"])("%j is no token", async (token) => {
  await openSetUp();
  const { code } = await failureOf(createFirstOperator(token, describeOperator(), createOrigin()));
  expect(code).toBe("set_up_link_invalid");
});

test("no token is made while there is an operator, and the database never holds one", async () => {
  const token = await openSetUp();
  const rows = await withDatabase((db) => db.select().from(setUpTokens));
  expect(JSON.stringify(rows)).not.toContain(token);
  await createOperator();
  expect(await createSetUpToken()).toBeNull();
});

test("nobody signs up before the set-up, which stays open, also when both come at once", async () => {
  expect(await codeOf(signUp(describeOperator(), createOrigin("203.0.113.3")))).toBe(
    "set_up_needed",
  );
  const token = await openSetUp();
  const ada = describeOperator();
  const signUps = Array.from({ length: 9 }, () =>
    signUp(describeOperator(), createOrigin("203.0.113.4")),
  );
  const outcomes = tally(signUps);
  await createFirstOperator(token, ada, createOrigin());
  await outcomes;
  const rows = await withDatabase((db) => db.select().from(operators));
  const administrators = rows.filter(({ isAdministrator }) => isAdministrator);
  expect(administrators.map(({ email }) => email)).toEqual([ada.email]);
});
