import { randomUUID } from "node:crypto";
import { parse } from "csv-parse/sync";
import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { auditLog } from "../../../app/db/schema/audit-log";
import { operators } from "../../../app/db/schema/operators";
import { processState } from "../../../app/process/state";
import { readAuditQuery } from "../../../app/routes/dashboard/access/audit-log.inputs.server";
import { loader as exportLog } from "../../../app/routes/dashboard/access/own-audit-log-file";
import { action as operatorsPage } from "../../../app/routes/dashboard/accounts/operators";
import { action as settings } from "../../../app/routes/dashboard/point-systems/settings";
import {
  type AuditFilter,
  listAccountAudit,
  listPointSystemAudit,
  readWholeAudit,
} from "../../../app/services/access/audit-log";
import { recordSecurityEvent } from "../../../app/services/access/security-events";
import { beginSecondStep, finishSignIn } from "../../../app/services/accounts/second-step";
import { signIn } from "../../../app/services/accounts/sign-in";
import {
  codeOf,
  createMember,
  createOperator,
  createOrigin,
  createOwner,
  failureOf,
  PASSWORD,
} from "../../support/operators";
import { callAction, callLoader, startTestSession } from "../../support/pages";

// Files of one worker share the budget of a minute, and others are refused a lot.
beforeAll(() => {
  processState("security events", () => ({ written: 0 })).written = 0;
});

/** Lists all security events, or those of one account, as an administrator does. */
async function listEvents(filter: Partial<AuditFilter>) {
  const all: AuditFilter = { action: "security", actor: null, beforeId: null };
  return (await listAccountAudit(null, { ...all, ...filter })).entries;
}

test("failed sign-ins and lock-outs are in the log, by the account's HMAC and the network", async () => {
  const { email } = await createOperator();
  const unknown = `${randomUUID()}@example.com`;
  for (const [account, ip] of [
    [email, "203.0.113.77"],
    [unknown, "2001:db8:77:88:99::1"],
  ] as const) {
    const guess = () => signIn({ email: account, password: "a bad guess" }, createOrigin(ip));
    for (let n = 0; n < 13; n += 1) await failureOf(guess());
    const found = await listEvents({ actor: account });
    // The lock-out is one event, however often it is run into.
    expect(found.map(({ action }) => action)).toEqual([
      "security.lock_out",
      ...Array(10).fill("security.sign_in_failed"),
    ]);
    for (const entry of found) {
      expect(entry.actor).toMatch(/^account [0-9a-f]{16}$/);
      expect(entry.ip).toBe(ip.includes(":") ? "2001:db8:77::/48" : "203.0.113.0/24");
      expect(JSON.stringify(entry)).not.toContain(account);
    }
  }
  // Nothing in it tells accounts that exist from others.
  const [one] = await listEvents({ actor: email });
  const [other] = await listEvents({ actor: unknown });
  expect(one?.actor).not.toBe(other?.actor);
  expect({ ...one, ...{ id: 0, actor: "", ip: "", createdAt: 0 } }).toEqual({
    ...other,
    ...{ id: 0, actor: "", ip: "", createdAt: 0 },
  });
});

test("the right password of a disabled account is in the log", async () => {
  const operator = await createOperator();
  await withDatabase((db) =>
    db.update(operators).set({ disabledAt: new Date() }).where(eq(operators.id, operator.id)),
  );
  const { email } = operator;
  expect(await codeOf(signIn({ email, password: PASSWORD }, createOrigin()))).toBe(
    "account_disabled",
  );
  // The account may also be disabled between the password and the code.
  const [account] = await withDatabase((db) =>
    db.select().from(operators).where(eq(operators.id, operator.id)),
  );
  if (!account) throw new Error("No account");
  const { ticket } = await beginSecondStep(account);
  expect(await codeOf(finishSignIn({ ticket, code: "000000" }, createOrigin()))).toBe(
    "account_disabled",
  );
  const found = await listEvents({ actor: email });
  expect(found.map(({ action }) => action)).toEqual([
    "security.sign_in_failed",
    "security.sign_in_failed",
  ]);
});

test("the filtered log is exported whole, as CSV and as JSON lines", async () => {
  const member = await createOwner();
  const account = `${randomUUID()}@example.com`;
  // More than a page of the list; the same refusal is written once a minute.
  await withDatabase((db) =>
    db.insert(auditLog).values(
      Array.from({ length: 120 }, (_, n) => ({
        actor: member.actor.email,
        action: "operator.update",
        subject: n === 0 ? '=1+1,"x"' : account,
        operatorId: member.actor.operatorId,
        after: { n },
      })),
    ),
  );
  const open = async (file: string) => {
    const path = `/dashboard/${file}?action=operator.update&actor=${member.actor.email}`;
    const answer = await callLoader(exportLog, member, {}, path);
    return { type: answer.headers.get("content-type"), text: await answer.text() };
  };
  const lines = await open("audit-log.jsonl");
  expect(lines.type).toBe("application/jsonl; charset=utf-8");
  const entries = lines.text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(entries.map(({ after }) => after.n)).toEqual(
    Array.from({ length: 120 }, (_, n) => 119 - n),
  );
  expect(entries[0]).toEqual({
    id: expect.any(Number),
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    action: "operator.update",
    actor: member.actor.email,
    ip: null,
    subject: account,
    before: null,
    after: { n: 119 },
  });
  const csv = await open("audit-log.csv");
  const rows = parse(csv.text);
  expect([rows.length, rows[0]?.[2], rows[120]?.[5], rows[120]?.[7]]).toEqual([
    121,
    "action",
    `'=1+1,"x"`,
    '{"n":0}',
  ]);
});

test("an actor that no account can have counts as none", () => {
  const read = (query: string) => readAuditQuery(new Request(`http://test.local/?${query}`));
  expect(read("actor=A%40example.com")).toMatchObject({ actor: "a@example.com" });
  expect(read("actor=%00")).toMatchObject({ actor: null });
});

test("pages that a role does not allow are in the log, for administrators alone", async () => {
  const owner = await createOwner();
  const { actor } = await createMember(owner, "viewer");
  const cookie = await startTestSession(actor);
  const { pointSystemId } = owner;
  const body = () => new URLSearchParams({ intent: "rename", name: "Mine" });
  await callAction(settings, actor, cookie, { pointSystemId }, body()).catch(() => {});
  await callAction(operatorsPage, actor, cookie, {}, body()).catch(() => {});
  const found = await listEvents({ actor: actor.email });
  expect(found.map(({ action }) => action)).toEqual(["security.permission_refused"]);
  const own = await listAccountAudit(actor.operatorId, {
    action: "security",
    actor: null,
    beforeId: null,
  });
  expect(own.entries).toEqual([]);
});

test("a flood of refusals writes 120 entries a minute, and then says how many it left out", async () => {
  const before = (await listEvents({})).at(0)?.id ?? 0;
  const flood = Array.from({ length: 400 }, (_, n) =>
    recordSecurityEvent({
      action: "security.origin_refused",
      account: null,
      origin: createOrigin(`10.${n >> 8}.${n & 255}.1`),
    }),
  );
  await Promise.all(flood);
  let [written, oldest] = [0, Number.POSITIVE_INFINITY];
  while (oldest > before) {
    const page = await listEvents({
      beforeId: oldest === Number.POSITIVE_INFINITY ? null : oldest,
    });
    written += page.filter(({ id }) => id > before).length;
    oldest = page.at(-1)?.id ?? before;
  }
  // Two minutes can begin meanwhile.
  expect(written).toBeGreaterThan(0);
  expect(written).toBeLessThanOrEqual(240);
});

test("a filter of the audit log that matches little is searched in parts, and an export has what matches", async () => {
  const [owner, neighbour] = [await createOwner(), await createOwner()];
  const { pointSystemId } = owner;
  const fill = (id: string, entries: number) =>
    withDatabase((db) =>
      db.execute(sql`
        insert into audit_log (point_system_id, actor, action, subject)
        select ${id}::uuid, 'ada@example.com', 'trigger.update', 's' from generate_series(1, ${entries}::int)`),
    );
  await withDatabase((db) =>
    db
      .insert(auditLog)
      .values({ pointSystemId, actor: "eve@example.com", action: "trigger.delete", subject: "x" }),
  );
  await fill(pointSystemId, 20_100);
  await fill(neighbour.pointSystemId, 60_000);
  await withDatabase((db) => db.execute(sql`analyze audit_log`));
  for (const wanted of [{ action: "trigger.delete" }, { actor: "eve@example.com" }] as const) {
    const filter: AuditFilter = { action: null, actor: null, beforeId: null, ...wanted };
    const first = await listPointSystemAudit(owner, filter);
    expect(first).toMatchObject({ entries: [], isCutShort: true });
    const second = await listPointSystemAudit(owner, { ...filter, beforeId: first.olderId });
    expect(second).toMatchObject({ entries: [{ subject: "x" }], olderId: null, isCutShort: false });
    const whole = readWholeAudit((each) => listPointSystemAudit(owner, each), filter);
    const found: string[] = [];
    for await (const { subject } of whole) found.push(subject);
    expect(found).toEqual(["x"]);
  }
});

test("an entry of the audit log is on one page, also while many come", async () => {
  const owner = await createOwner();
  const fill = (entries: number) =>
    withDatabase((db) =>
      db.execute(sql`
        insert into audit_log (point_system_id, actor, action, subject)
        select ${owner.pointSystemId}::uuid, 'ada@example.com',
          case when n % 500 = 0 then 'trigger.delete' else 'trigger.update' end, n::text
        from generate_series(1, ${entries}::int) n`),
    );
  await fill(25_000);
  let isOver = false;
  const filling = (async () => {
    while (!isOver) await fill(2_000);
  })();
  const filter: AuditFilter = { action: "trigger.delete", actor: null, beforeId: null };
  const shownAgain: number[] = [];
  for (let read = 1; read <= 15; read += 1) {
    const { entries, olderId } = await listPointSystemAudit(owner, filter);
    expect(entries.length).toBeGreaterThan(0);
    shownAgain.push(...entries.map(({ id }) => id).filter((id) => id < (olderId ?? 0)));
  }
  isOver = true;
  await filling;
  expect(shownAgain).toEqual([]);
});
