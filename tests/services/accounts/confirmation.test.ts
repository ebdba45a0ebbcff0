import { sql } from "drizzle-orm";
import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { findSession } from "../../../app/auth/sessions";
import { OperatorActions } from "../../../app/components/dashboard/accounts/operator-actions";
import type { FormProblems } from "../../../app/components/form/problems";
import { withDatabase } from "../../../app/db/client";
import { action as account } from "../../../app/routes/dashboard/accounts/account";
import MembersPage, { action as members } from "../../../app/routes/dashboard/accounts/members";
import { action as operators } from "../../../app/routes/dashboard/accounts/operators";
import { action as security } from "../../../app/routes/dashboard/accounts/security";
import { action as apiKeys } from "../../../app/routes/dashboard/api-keys/api-keys";
import { action as chain } from "../../../app/routes/dashboard/campaigns/chain";
import { action as codes } from "../../../app/routes/dashboard/gift-cards/codes";
import { action as settings } from "../../../app/routes/dashboard/point-systems/settings";
import { listAccountAudit } from "../../../app/services/access/audit-log";
import type { Member } from "../../../app/services/access/members";
import { createGiftCardReward } from "../../../app/services/gift-cards/drafts";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { createMember, createOperator, createOwner, PASSWORD } from "../../support/operators";
import { callAction, startTestSession } from "../../support/pages";

// Pages are rendered without a router.
const answer = vi.hoisted(() => {
  vi.resetModules(); // Another file may have loaded them unmocked.
  return { current: {} };
});
vi.mock("@remix-run/react", async (getOriginal) => ({
  ...(await getOriginal<typeof import("@remix-run/react")>()),
  Form: "form",
  useActionData: () => answer.current,
  useFormAction: () => "/",
  useLoaderData: () => ({ members: [], invitations: [], readerId: "", readAt: 0 }),
  useLocation: () => ({ key: "" }),
  useNavigation: () => ({}),
  useRouteLoaderData: () => ({ pointSystem: { name: "Alpha", role: "owner" } }),
}));
afterAll(() => vi.resetModules());

const NEEDED = "Enter your password to go on. It is then valid for ten minutes.";
const SAFE = `0x${"5a".repeat(20)}`;

let owner: Member<"owner">;
let cookie: string;
let rewardId: string;
beforeEach(async () => {
  useGiftCardKeys(createGiftCardKey("one"));
  const member = await createOwner();
  // A network of its own: attempts are counted by network, too.
  const ip = `2001:db8:${Math.floor(Math.random() * 0xffff).toString(16)}::1`;
  owner = { ...member, actor: { ...member.actor, ip } };
  await withDatabase((db) =>
    db.execute(
      sql`update operators set is_administrator = true where id = ${owner.actor.operatorId}`,
    ),
  );
  cookie = await startTestSession(owner.actor);
  const tiers = [{ label: "Gold", minPoints: 1 }];
  ({ id: rewardId } = await createGiftCardReward(owner, { name: "Cards", tiers }));
});

/** Moves the time at which the password was given into the past. */
const age = (minutes: number) =>
  withDatabase((db) =>
    db.execute(sql`update sessions set confirmed_at = confirmed_at - make_interval(mins => ${minutes})
      where operator_id = ${owner.actor.operatorId}`),
  );

type Action = Parameters<typeof callAction>[0];

const STEPS: Record<string, () => Promise<[Action, Record<string, string>]>> = {
  "a new API key": async () => [
    apiKeys,
    {
      intent: "create",
      id: crypto.randomUUID(),
      name: "Shop",
      permission: "read",
      pointSystems: owner.pointSystemId,
      expires: "",
    },
  ],
  "an invitation to a point system": async () => [members, { intent: "invite", role: "editor" }],
  "an invitation to the service": async () => [operators, { intent: "invite" }],
  "another role": async () => {
    const { actor } = await createMember(owner, "viewer");
    return [members, { intent: "role", operatorId: actor.operatorId, role: "editor" }];
  },
  "a password link": async () => [
    operators,
    { intent: "reset", operatorId: (await createOperator()).id },
  ],
  "a new administrator": async () => [
    operators,
    { intent: "administrator", operatorId: (await createOperator()).id, isAdministrator: "yes" },
  ],
  "the removal of another's factors": async () => [
    operators,
    { intent: "factors", operatorId: (await createOperator()).id },
  ],
  "the disabling of an operator": async () => [
    operators,
    { intent: "disable", operatorId: (await createOperator()).id, deletesApiKeys: "" },
  ],
  "a new passkey": async () => [security, { intent: "begin-passkey", name: "Phone" }],
  "the removal of a passkey": async () => [security, { intent: "remove-passkey", passkeyId: "x" }],
  "an authenticator app": async () => [security, { intent: "begin-app" }],
  "the removal of the authenticator app": async () => [security, { intent: "remove-app" }],
  "new recovery codes": async () => [security, { intent: "codes" }],
  "another owner": async () => {
    const { actor } = await createMember(owner, "editor");
    const fields = { intent: "transfer", operatorId: actor.operatorId, confirmation: "Alpha" };
    return [members, fields];
  },
  "the end of another session": async () => [account, { intent: "end", sessionId: "0".repeat(64) }],
  "the end of all other sessions": async () => [account, { intent: "end-others" }],
  "the admin of a campaign": async () => [chain, { intent: "admin", admin: SAFE }],
  "the chain of contract wallets": async () => [
    settings,
    { intent: "contract-wallets", chainId: "8453" },
  ],
};

/** Posts a form as the browser does that has the session: with the cookie that the last answer set. */
async function post(action: Action, fields: Record<string, string>) {
  const params = { pointSystemId: owner.pointSystemId, rewardId };
  const body = new URLSearchParams(fields);
  const setCookies: string[] = [];
  try {
    return toProblems(await callAction(action, owner.actor, cookie, params, body, setCookies));
  } catch (error) {
    if (error instanceof Response) return { status: error.status, problems: null };
    throw error;
  } finally {
    cookie = setCookies[0]?.split(";")[0] ?? cookie;
  }
}

function toProblems(answer: unknown) {
  const { data, init } = answer as { data?: { problems: FormProblems }; init?: ResponseInit };
  return { status: init?.status ?? 200, problems: data?.problems ?? null };
}

describe("ten minutes after the password was given,", () => {
  test.each(Object.keys(STEPS))("%s needs it again, and takes no wrong one", async (name) => {
    const [action, fields] = (await STEPS[name]?.()) ?? [];
    if (!action || !fields) throw new Error("No step");
    await age(11);
    const refused = await post(action, fields);
    expect(refused.status).toBe(403);
    expect(refused.problems?.fields.confirmPassword).toBe(NEEDED);
    const wrong = await post(action, { ...fields, confirmPassword: `${PASSWORD}!` });
    expect(wrong.status).toBe(401);
    expect(wrong.problems?.fields).toEqual({ confirmPassword: "Wrong password." });
    // Passwords are never sent back.
    expect(JSON.stringify(wrong.problems)).not.toContain(PASSWORD);
    const taken = await post(action, { ...fields, confirmPassword: PASSWORD });
    expect(taken.problems?.fields.confirmPassword).toBeUndefined();
  });

  test("new gift card codes need it again", async () => {
    await age(11);
    const send = async (confirmPassword: string) => {
      const body = new FormData();
      const fields = { tier: "Gold", giftCodes: "CODE-1", confirmPassword };
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const params = { pointSystemId: owner.pointSystemId, rewardId };
      return toProblems(await callAction(codes, owner.actor, cookie, params, body));
    };
    const refused = await send("");
    expect(refused.problems?.fields.confirmPassword).toBe(NEEDED);
    expect(JSON.stringify(refused)).not.toContain("CODE-1");
    expect((await send(PASSWORD)).problems).toBeNull();
  });
});

test("given once, the password holds for ten minutes, in this browser only, and is in the log", async () => {
  await age(11);
  const fields = { intent: "end-others" };
  await post(account, { ...fields, confirmPassword: PASSWORD });
  await age(9);
  expect((await post(account, fields)).problems).toBeNull();
  const { entries } = await listAccountAudit(owner.actor.operatorId, {
    action: "operator.confirm",
    actor: null,
    beforeId: null,
  });
  expect(entries).toHaveLength(1);
  const other = await startTestSession(owner.actor);
  await age(2);
  expect((await post(account, fields)).problems?.fields.confirmPassword).toBe(NEEDED);
  cookie = other;
  expect((await post(account, fields)).problems).toBeNull();
});

test("the password gives the session a new id, whatever becomes of the step, and ends the former one", async () => {
  const isOpen = async (of: string) =>
    (await findSession(of, "http://test.local")).operator?.id === owner.actor.operatorId;
  for (const fields of [{ intent: "end-others" }, { intent: "end", sessionId: "0".repeat(64) }]) {
    const former = cookie;
    expect((await post(account, fields)).status).not.toBe(403);
    expect(cookie).toBe(former);
    await age(11);
    await post(account, { ...fields, confirmPassword: PASSWORD });
    expect(cookie).toMatch(/^session=\w{40}$/);
    expect([await isOpen(former), await isOpen(cookie)]).toEqual([false, true]);
  }
});

test("ten wrong passwords are taken in 15 minutes", async () => {
  await age(11);
  const fields = { intent: "end-others", confirmPassword: "not the right one" };
  for (let n = 0; n < 10; n += 1) expect((await post(account, fields)).status).toBe(401);
  expect((await post(account, { ...fields, confirmPassword: PASSWORD })).status).toBe(429);
});

test("an editor cannot name a campaign's admin, with or without a password", async () => {
  const editor = await createMember(owner, "editor");
  cookie = await startTestSession(editor.actor);
  const params = { pointSystemId: owner.pointSystemId, rewardId };
  const body = new URLSearchParams({ intent: "admin", admin: SAFE, confirmPassword: PASSWORD });
  const answer = toProblems(await callAction(chain, editor.actor, cookie, params, body));
  expect(answer).toMatchObject({
    status: 403,
    problems: { form: "Your role in this point system does not allow this." },
  });
});

test("without scripts, a form that needs the password comes back with what was chosen", async () => {
  await age(11);
  const { id } = await createOperator();
  const isChecked = (element: ReactElement, field: string) =>
    new RegExp(`<input[^>]* ${field}[^>]*>`)
      .exec(renderToStaticMarkup(element))?.[0]
      .includes("checked");
  answer.current = await post(members, { intent: "invite", role: "editor" });
  expect(isChecked(createElement(MembersPage), 'name="role"[^>]* value="editor"')).toBe(true);
  const disabling = { intent: "disable", operatorId: id, deletesApiKeys: "yes" };
  const operator = {
    ...{ id, name: "Ada", email: "", isAdministrator: false, createdAt: new Date() },
    ...{ disabledAt: null, hasFactors: false },
  };
  const refused = await post(operators, disabling);
  const actions = createElement(OperatorActions, { operator, isSelf: false, answer: refused });
  expect(isChecked(actions, 'name="deletesApiKeys"')).toBe(true);
});
