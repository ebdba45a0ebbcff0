import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import {
  WEBHOOK_EVENT_TYPE_NAMES,
  type WebhookEventType,
} from "../../../app/domain/webhooks/events";
import type { Member } from "../../../app/services/access/members";
import { addToBlacklist, removeFromBlacklist } from "../../../app/services/ledger/blacklist";
import { createTrigger, deleteTrigger } from "../../../app/services/point-systems/triggers";
import { openWebhooks } from "../../../app/services/webhooks/call";
import {
  getDelivery,
  listDeliveries,
  removeOldDeliveries,
  replayDelivery,
  replaySince,
  sendTest,
  skipDelivery,
} from "../../../app/services/webhooks/deliveries";
import { createDeliverer } from "../../../app/services/webhooks/delivering";
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  switchWebhookOff,
  switchWebhookOn,
  updateWebhook,
  WEBHOOKS_MAX,
} from "../../../app/services/webhooks/endpoints";
import {
  countGivenUpWebhooks,
  getWebhook,
  listWebhooks,
} from "../../../app/services/webhooks/webhooks";
import { startWebhookDeliveries } from "../../../app/worker/webhook-deliveries";
import { record, voidById } from "../../support/events";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { createMember, createOwner, failureOf, findOwner, grant } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { waitUntil } from "../../support/server-process";
import {
  type Received,
  startReceiver,
  verifyReceived,
  type WebhookReceiver,
} from "../../support/webhook-receiver";

let receiver: WebhookReceiver;
const failures: unknown[] = [];
let deliveries: ReturnType<typeof startWebhookDeliveries> | undefined;

beforeAll(async () => {
  useGiftCardKeys(createGiftCardKey("k1"));
  openWebhooks({ WEBHOOK_ALLOW_PRIVATE: ["127.0.0.1"] });
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.clear();
  receiver.answer = (_, response) => response.writeHead(204).end();
  failures.length = 0;
});
afterEach(async () => {
  await deliveries?.stop();
  deliveries = undefined;
  // Endpoints of earlier tests must not receive here.
  await withDatabase((db) => db.execute(sql`delete from webhook_endpoints`));
  expect(failures).toEqual([]);
});

type Owner = Member<"owner">;

async function listen(
  owner: Owner,
  eventTypes: readonly WebhookEventType[] = WEBHOOK_EVENT_TYPE_NAMES,
  url = receiver.url,
) {
  const id = randomUUID();
  const { secret } = await createWebhook(owner, { id, url: new URL(url), eventTypes });
  return { id, secret };
}

function deliver(): void {
  deliveries = startWebhookDeliveries((_, error) => failures.push(error));
}

const toAddresses = (n: number) => Array.from({ length: n }, () => createAddress());
const received = (count: number) => waitUntil(() => receiver.received.length >= count, 10_000);
const creditsOf = (all: readonly Received[]) => all.flatMap(({ data }) => data.credits ?? []);

/** Makes the next attempt due now. */
const hurry = (id: string) =>
  withDatabase((db) =>
    db.execute(sql`update webhook_endpoints set due_at = now() where id = ${id}`),
  );

test("a credit is delivered within 2 s, signed as the standard's own library verifies it", async () => {
  const { pointSystemId, wallet, fireBatch } = await scene();
  const { secret } = await listen(await findOwner(pointSystemId));
  deliver();
  await sleep(1_200);
  const creditedAt = Date.now();
  const item = { triggerKey: "daily_login", walletAddress: wallet, metadata: { order: "A-17" } };
  expect((await fireBatch({ items: [item] })).status).toBe(200);
  await received(1);
  const [first] = receiver.received as [Received];
  expect(first.at - creditedAt).toBeLessThan(2_000);
  expect(verifyReceived(first, secret)).toEqual({
    type: "points.credited",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      pointSystemId,
      credits: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          address: wallet,
          points: 10,
          balance: 10,
          event: "daily_login",
          date: first.timestamp,
          occurredAt: null,
          metadata: { order: "A-17" },
          importId: null,
        },
      ],
    },
  });
  expect(() => verifyReceived({ ...first, body: `${first.body} ` }, secret)).toThrow();
  expect(first.headers["content-type"]).toBe("application/json");
});

test("up to 100 credits are in a delivery, the oldest first, and nothing from before the endpoint", async () => {
  const owner = await createOwner();
  await grant(owner, createAddress(), 1);
  await listen(owner, ["points.credited"]);
  const wallets = toAddresses(4);
  for (let n = 1; n <= 260; n += 1) await grant(owner, wallets[n % 4] as Address, n);
  deliver();
  await received(3);
  expect(receiver.received.map(({ data }) => data.credits.length)).toEqual([100, 100, 60]);
  expect(creditsOf(receiver.received).map(({ points }) => points)).toEqual(
    Array.from({ length: 260 }, (_, i) => i + 1),
  );
}, 120_000);

test("what happens to a wallet is delivered in its order, across the ledger and the blacklist", async () => {
  const owner = await createOwner();
  await listen(owner);
  const address = createAddress();
  await grant(owner, address, 5);
  await addToBlacklist(owner, [{ address, reason: "Sybil" }]);
  await removeFromBlacklist(owner, [address]);
  await grant(owner, address, 7);
  deliver();
  await received(4);
  expect(receiver.received.map(({ type, data }) => [type, data.credits ?? data.wallets])).toEqual([
    ["points.credited", [expect.objectContaining({ points: 5, balance: 5 })]],
    ["wallet.blacklisted", [{ address, reason: "Sybil" }]],
    ["wallet.restored", [{ address, reason: "Sybil" }]],
    ["points.credited", [expect.objectContaining({ points: 7, balance: 12 })]],
  ]);
});

test("an endpoint hears only the types that it chose, and only of its point system", async () => {
  const owner = await createOwner();
  const other = await createOwner();
  await listen(owner, ["trigger.changed"]);
  await grant(owner, createAddress(), 5);
  const trigger = { name: "Visit", points: 3, variable: null };
  for (const one of [other, owner]) await createTrigger(one, { key: "visit", ...trigger });
  await deleteTrigger(owner, "visit");
  deliver();
  await received(2);
  await sleep(700);
  expect(receiver.received.map(({ data }) => data)).toEqual(
    ["created", "deleted"].map((change) => ({
      pointSystemId: owner.pointSystemId,
      change,
      trigger: { key: "visit", ...trigger, cap: null, isActive: true },
    })),
  );
});

test("a change that is rolled back is not said", async () => {
  const owner = await createOwner();
  await listen(owner);
  const trigger = { key: "visit", name: "Visit", points: 3, variable: null };
  await createTrigger(owner, trigger);
  expect(await failureOf(createTrigger(owner, trigger))).toMatchObject({
    code: "trigger_key_taken",
  });
  deliver();
  await received(1);
  await sleep(700);
  expect(receiver.received).toHaveLength(1);
});

test("a refused delivery is repeated with the same id and body, before everything behind it", async () => {
  const owner = await createOwner();
  const { id, secret } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  receiver.answer = (_, response) => response.writeHead(500).end("No\0 room");
  deliver();
  await received(1);
  await waitUntil(async () => (await getWebhook(owner, id)).failingSince !== null, 5_000);
  const { dueAt, failingSince, lag } = await getWebhook(owner, id);
  expect(dueAt.getTime() - (failingSince?.getTime() ?? 0)).toBeCloseTo(5_000, -2);
  expect(lag).toMatchObject({ deliveries: 1, events: 0 });
  await grant(owner, createAddress(), 6);
  receiver.answer = (_, response) => response.writeHead(204).end();
  await hurry(id);
  await received(3);
  const [first, second, third] = receiver.received as [Received, Received, Received];
  expect([second.id, second.body]).toEqual([first.id, first.body]);
  expect(third.id).not.toBe(first.id);
  for (const each of receiver.received) verifyReceived(each, secret);
  await waitUntil(async () => (await getWebhook(owner, id)).failingSince === null, 5_000);
  const { deliveries: listed } = await listDeliveries(owner, id, null);
  expect(listed.map(({ attempts, state, status }) => [attempts, state, status])).toEqual([
    [1, "delivered", 204],
    [2, "delivered", 204],
  ]);
  expect((await getWebhook(owner, id)).lag).toEqual({ deliveries: 0, events: 0, since: null });
});

test("a failing endpoint that gets another URL is tried there at once, with all that waits", async () => {
  const owner = await createOwner();
  const elsewhere = new URL("/elsewhere", receiver.url).href;
  const { id, secret } = await listen(owner, ["points.credited"], elsewhere);
  receiver.answer = (request, response) =>
    response.writeHead(request.url === "/elsewhere" ? 500 : 204).end();
  await grant(owner, createAddress(), 5);
  deliver();
  await received(1);
  await waitUntil(async () => (await getWebhook(owner, id)).failingSince !== null, 5_000);
  await updateWebhook(owner, id, {
    url: new URL(receiver.url),
    eventTypes: ["points.credited"],
  });
  expect(await getWebhook(owner, id)).toMatchObject({ url: receiver.url, failingSince: null });
  await waitUntil(async () => (await getWebhook(owner, id)).lag.deliveries === 0, 5_000);
  const last = receiver.received.at(-1) as Received;
  verifyReceived(last, secret);
  expect(last.id).toBe(receiver.received[0]?.id);
});

test("a delivery that the former URL takes after the change is sent to the new one as well", async () => {
  const owner = await createOwner();
  const elsewhere = new URL("/elsewhere", receiver.url).href;
  const { id } = await listen(owner, ["points.credited"], elsewhere);
  let takeIt = () => {};
  receiver.answer = (request, response) => {
    const take = () => response.writeHead(204).end();
    if (request.url === "/elsewhere") takeIt = take;
    else take();
  };
  await grant(owner, createAddress(), 5);
  const look = async () => {
    const deliverer = createDeliverer();
    await deliverer.look((error) => failures.push(error), new AbortController().signal);
    return deliverer.settle();
  };
  const first = look();
  await received(1);
  await updateWebhook(owner, id, { url: new URL(receiver.url), eventTypes: ["points.credited"] });
  takeIt();
  await first;
  await look();
  expect(receiver.received.map((one) => one.id)).toHaveLength(2);
  expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id);
  const { deliveries: listed } = await listDeliveries(owner, id, null);
  expect(listed.map(({ state, attempts }) => [state, attempts])).toEqual([["delivered", 2]]);
});

test("an endpoint that begins to hear of credits hears of those from now on", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["trigger.changed"]);
  await grant(owner, createAddress(), 5);
  const url = new URL(receiver.url);
  await updateWebhook(owner, id, { url, eventTypes: ["trigger.changed", "points.credited"] });
  await grant(owner, createAddress(), 6);
  deliver();
  await received(1);
  expect(creditsOf(receiver.received).map(({ points }) => points)).toEqual([6]);
});

test("an answer is kept for the dashboard, with the request", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  receiver.answer = (_, response) => response.writeHead(200).end(`Thanks\0${"x".repeat(100_000)}`);
  deliver();
  await received(1);
  await waitUntil(
    async () => (await listDeliveries(owner, id, null)).deliveries[0]?.state === "delivered",
    5_000,
  );
  const [{ seq = "" } = {}] = (await listDeliveries(owner, id, null)).deliveries;
  const { answer, body } = await getDelivery(owner, id, seq);
  expect(answer).toMatch(/^Thanks\uFFFDx+$/);
  expect(answer?.length).toBeLessThanOrEqual(4_096);
  expect(body).toBe(receiver.received[0]?.body);
});

test("while a secret is rotated, both verify; a form that is sent twice rotates once", async () => {
  const owner = await createOwner();
  const { id, secret: former } = await listen(owner);
  const { secretMark: mark } = await getWebhook(owner, id);
  const { secret } = await rotateWebhookSecret(owner, id, mark);
  expect(await failureOf(rotateWebhookSecret(owner, id, mark))).toMatchObject({
    code: "webhook_moved_on",
  });
  expect(secret).not.toBe(former);
  expect((await getWebhook(owner, id)).formerUntil).not.toBeNull();
  await grant(owner, createAddress(), 5);
  deliver();
  await received(1);
  const [first] = receiver.received as [Received];
  verifyReceived(first, secret);
  verifyReceived(first, former);
  await withDatabase((db) =>
    db.execute(sql`update webhook_endpoints set former_until = now() where id = ${id}`),
  );
  await grant(owner, createAddress(), 5);
  await received(2);
  const second = receiver.received[1] as Received;
  verifyReceived(second, secret);
  expect(() => verifyReceived(second, former)).toThrow();
});

test("after a lost key, a rotated secret signs, and the former one is left out", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner);
  useGiftCardKeys(createGiftCardKey("k2"));
  const { secretMark } = await getWebhook(owner, id);
  const { secret } = await rotateWebhookSecret(owner, id, secretMark);
  await grant(owner, createAddress(), 5);
  deliver();
  await received(1);
  const [first] = receiver.received as [Received];
  verifyReceived(first, secret);
  expect(String(first.headers["webhook-signature"])).not.toContain(" ");
});

test("secrets are encrypted in the database, and no read of the dashboard returns one", async () => {
  const owner = await createOwner();
  const { id, secret } = await listen(owner);
  const rows = await withDatabase((db) => db.execute(sql`select * from webhook_endpoints`));
  const bytes = rows
    .flatMap((row) => Object.values(row))
    .map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : JSON.stringify(value),
    );
  expect(bytes.join(" ")).not.toContain(secret.slice("whsec_".length));
  const shown = JSON.stringify([await listWebhooks(owner), await getWebhook(owner, id)]);
  expect(shown).not.toContain("whsec_");
});

async function readFailures(id: string) {
  const [row] = await withDatabase((db) =>
    db.execute<{ failures: number; failing_since: unknown }>(sql`
      select failures, failing_since from webhook_endpoints where id = ${id}`),
  );
  return row ?? { failures: Number.NaN, failing_since: undefined };
}

test("an endpoint that has failed for three days is switched off, and says so", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  await withDatabase((db) =>
    db.execute(sql`
      update webhook_endpoints set failures = 16, failing_since = now() - interval '73 hours'
      where id = ${id}`),
  );
  receiver.answer = (_, response) => response.writeHead(503).end();
  deliver();
  await waitUntil(async () => (await countGivenUpWebhooks(owner)) === 1, 5_000);
  const { offAt, isGivenUp } = await getWebhook(owner, id);
  expect([offAt, isGivenUp]).toEqual([expect.any(Date), true]);
  const [audit] = await withDatabase((db) =>
    db.execute(sql`
      select actor, action from audit_log where point_system_id = ${owner.pointSystemId}
      order by id desc limit 1`),
  );
  expect(audit).toEqual({ actor: "background job", action: "webhook.give_up" });
  await grant(owner, createAddress(), 6);
  receiver.answer = (_, response) => response.writeHead(204).end();
  await sleep(1_200);
  expect(receiver.received).toHaveLength(1);
  await switchWebhookOn(owner, id, "where-it-stopped");
  await received(3);
  expect(creditsOf(receiver.received).map(({ points }) => points)).toEqual([5, 5, 6]);
  expect(await countGivenUpWebhooks(owner)).toBe(0);
});

test("what happens while an endpoint is off waits for it, or is skipped when it starts from now", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner);
  await switchWebhookOff(owner, id);
  expect(await failureOf(switchWebhookOff(owner, id))).toMatchObject({ code: "webhook_moved_on" });
  await grant(owner, createAddress(), 5);
  await addToBlacklist(owner, [{ address: createAddress(), reason: null }]);
  deliver();
  await sleep(1_200);
  await switchWebhookOn(owner, id, "now");
  await grant(owner, createAddress(), 6);
  await received(1);
  await sleep(700);
  expect(creditsOf(receiver.received).map(({ points }) => points)).toEqual([6]);
});

test("a large backlog is skipped some at a time when an endpoint starts from now", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner);
  const { pointSystemId } = owner;
  const count = async (state: string) => {
    const [row] = await withDatabase((db) =>
      db.execute<{ deliveries: number }>(sql`
        select count(*)::int as deliveries from webhook_deliveries
        where endpoint_id = ${id} and state = ${state}`),
    );
    return row?.deliveries;
  };
  await withDatabase((db) =>
    db.execute(sql`
      insert into webhook_deliveries (point_system_id, endpoint_id, type, data)
      select ${pointSystemId}, ${id}, 'points.spent', '{}' from generate_series(1, 12000)`),
  );
  expect(await failureOf(switchWebhookOn(owner, id, "now"))).toMatchObject({
    code: "webhook_moved_on",
  });
  expect(await count("waiting")).toBe(12_000);
  await switchWebhookOff(owner, id);
  // In place of the time after which PostgreSQL cancels a statement: that of 100,000s of rows.
  await withDatabase(async (db) => {
    await db.execute(sql`
      create function refuse_long_statement() returns trigger language plpgsql as $$
      begin
        if (select count(*) from changed) > 5000 then raise 'canceling statement'; end if;
        return null;
      end $$`);
    await db.execute(sql`
      create trigger refuses_long_statement after update on webhook_deliveries
      referencing new table as changed for each statement execute function refuse_long_statement()`);
  });
  try {
    await switchWebhookOn(owner, id, "now");
  } finally {
    await withDatabase((db) => db.execute(sql`drop function refuse_long_statement cascade`));
  }
  expect(await count("skipped")).toBe(12_000);
  expect((await getWebhook(owner, id)).offAt).toBeNull();
});

test("a test is sent before what waits, is tried once, and does not count as a failure", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  await sendTest(owner, id);
  let answers = 0;
  receiver.answer = (_, response) => {
    answers += 1;
    response.writeHead(answers === 1 ? 418 : 204).end();
  };
  deliver();
  await received(2);
  await sleep(700);
  expect(receiver.received.map(({ type }) => type)).toEqual(["webhook.test", "points.credited"]);
  const listed = (await listDeliveries(owner, id, null)).deliveries;
  expect(listed.map(({ type, state }) => [type, state])).toEqual(
    expect.arrayContaining([
      ["webhook.test", "failed"],
      ["points.credited", "delivered"],
    ]),
  );
  expect((await getWebhook(owner, id)).failingSince).toBeNull();
  await switchWebhookOff(owner, id);
  expect(await failureOf(sendTest(owner, id))).toMatchObject({ code: "webhook_off" });
});

test("one delivery, or all since a moment, are replayed in order with their ids", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner);
  const trigger = { name: "Visit", points: 3, variable: null };
  await createTrigger(owner, { key: "before", ...trigger });
  deliver();
  await received(1);
  await sleep(50);
  const since = new Date();
  await grant(owner, createAddress(), 5);
  await createTrigger(owner, { key: "after", ...trigger });
  await received(3);
  const settled = async () => (await getWebhook(owner, id)).lag.deliveries === 0;
  await waitUntil(settled, 5_000);
  const ids = receiver.received.map((each) => each.id);
  receiver.clear();
  expect(await replaySince(owner, id, since)).toEqual({ replayed: 2 });
  await received(2);
  await waitUntil(settled, 5_000);
  expect(receiver.received.map((each) => each.id)).toEqual(ids.slice(1));
  const credits = (await listDeliveries(owner, id, null)).deliveries.find(
    ({ type }) => type === "points.credited",
  );
  await replayDelivery(owner, id, credits?.seq ?? "");
  await received(3);
  expect(receiver.received[2]?.id).toBe(credits?.id);
});

test("an endpoint that was not tried for three days is not switched off at its next failure", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  // The service was off after the first failure.
  await withDatabase((db) =>
    db.execute(sql`
      update webhook_endpoints set failures = 1, failing_since = now() - interval '4 days'
      where id = ${id}`),
  );
  receiver.answer = (_, response) => response.writeHead(503).end();
  deliver();
  await received(1);
  await waitUntil(async () => (await readFailures(id)).failures === 2, 5_000);
  expect((await getWebhook(owner, id)).offAt).toBeNull();
});

test("a delivery that is skipped takes its failures along", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  receiver.answer = (_, response) => response.writeHead(500).end();
  deliver();
  await received(1);
  await waitUntil(async () => (await readFailures(id)).failures === 1, 5_000);
  const [{ seq = "" } = {}] = (await listDeliveries(owner, id, null)).deliveries;
  await skipDelivery(owner, id, seq);
  expect(await readFailures(id)).toEqual({ failures: 0, failing_since: null });
});

test("a delivery that waits can be skipped, so that those behind it go on", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner);
  receiver.answer = (_, response) => {
    const isPoison = receiver.received.at(-1)?.type === "trigger.changed";
    response.writeHead(isPoison ? 500 : 204).end();
  };
  await createTrigger(owner, { key: "poison", name: "Poison", points: 3, variable: null });
  await grant(owner, createAddress(), 5);
  deliver();
  await received(1);
  await waitUntil(async () => (await getWebhook(owner, id)).failingSince !== null, 5_000);
  const [{ seq = "" } = {}] = (await listDeliveries(owner, id, null)).deliveries;
  await skipDelivery(owner, id, seq);
  expect(await failureOf(skipDelivery(owner, id, seq))).toMatchObject({ code: "webhook_moved_on" });
  await received(2);
  expect(receiver.received[1]?.type).toBe("points.credited");
});

test.each([
  ["skip", async (owner: Owner, id: string, seq: string) => skipDelivery(owner, id, seq)],
  ["test", (owner: Owner, id: string) => sendTest(owner, id)],
])(
  "a %s during an attempt that then fails is followed by the next one at once",
  async (_, press) => {
    const owner = await createOwner();
    const { id } = await listen(owner);
    await createTrigger(owner, { key: "poison", name: "Poison", points: 3, variable: null });
    await grant(owner, createAddress(), 5);
    await withDatabase((db) =>
      db.execute(sql`update webhook_endpoints set failures = 5 where id = ${id}`),
    );
    let fail = () => {};
    receiver.answer = (_, response) => {
      const isFirst = receiver.received.length === 1;
      fail = () => response.writeHead(500).end();
      if (!isFirst) response.writeHead(204).end();
    };
    deliver();
    await received(1);
    const [{ seq = "" } = {}] = (await listDeliveries(owner, id, null)).deliveries;
    await press(owner, id, seq);
    await sleep(100);
    fail();
    await received(2);
    await waitUntil(() => creditsOf(receiver.received).length === 1, 5_000);
  },
);

test("several workers deliver each event once while all is well, and in order", async () => {
  const owner = await createOwner();
  await listen(owner, ["points.credited"]);
  const wallet = createAddress();
  const workers = Array.from({ length: 4 }, () =>
    startWebhookDeliveries((_, error) => failures.push(error)),
  );
  receiver.answer = (_, response) => setTimeout(() => response.writeHead(204).end(), 30);
  for (let n = 1; n <= 150; n += 1) await grant(owner, wallet, n);
  await waitUntil(() => creditsOf(receiver.received).length >= 150, 10_000);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(creditsOf(receiver.received).map(({ points }) => points)).toEqual(
    Array.from({ length: 150 }, (_, i) => i + 1),
  );
});

test("an attempt that a stop breaks off is repeated by the next process, without a failure", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  receiver.answer = () => {};
  deliver();
  await received(1);
  const stoppedAt = Date.now();
  await deliveries?.stop();
  expect(Date.now() - stoppedAt).toBeLessThan(2_000);
  expect((await getWebhook(owner, id)).failingSince).toBeNull();
  receiver.answer = (_, response) => response.writeHead(204).end();
  deliver();
  await received(2);
  expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id);
});

test("a lease that its holder lost is taken over when it ends, not before", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner, ["points.credited"]);
  await grant(owner, createAddress(), 5);
  const setLease = (seconds: number) =>
    withDatabase((db) =>
      db.execute(sql`
        update webhook_endpoints set lease = ${randomUUID()}::uuid,
          leased_until = now() + make_interval(secs => ${seconds})
        where id = ${id}`),
    );
  await setLease(60);
  const deliverer = createDeliverer();
  await deliverer.look((error) => failures.push(error), new AbortController().signal);
  await deliverer.settle();
  expect(receiver.received).toHaveLength(0);
  await setLease(-1);
  await deliverer.look((error) => failures.push(error), new AbortController().signal);
  await deliverer.settle();
  expect(receiver.received).toHaveLength(1);
});

test("many events that an endpoint does not listen for are passed over in one turn", async () => {
  const owner = await createOwner();
  await listen(owner, ["points.voided"]);
  const event = { address: createAddress(), points: 1, event: "daily", date: new Date() };
  // More than one call passes over.
  const [id = ""] = await record(
    owner.pointSystemId,
    Array.from({ length: 6_000 }, () => event),
  );
  await voidById(owner, id);
  const deliverer = createDeliverer();
  await deliverer.look((error) => failures.push(error), new AbortController().signal);
  await deliverer.settle();
  expect(receiver.received.map(({ type }) => type)).toEqual(["points.voided"]);
});

test("deliveries are removed after 30 days, unless they still wait", async () => {
  const owner = await createOwner();
  const { id } = await listen(owner);
  await createTrigger(owner, { key: "one", name: "One", points: 3, variable: null });
  await createTrigger(owner, { key: "two", name: "Two", points: 3, variable: null });
  await withDatabase((db) =>
    db.execute(sql`
      update webhook_deliveries set created_at = now() - interval '31 days',
        state = case when data->'trigger'->>'key' = 'one' then 'delivered' else state end
      where endpoint_id = ${id}`),
  );
  while (await removeOldDeliveries());
  const left = async () => (await listDeliveries(owner, id, null)).deliveries.map((d) => d.state);
  expect(await left()).toEqual(["waiting"]);
  await switchWebhookOff(owner, id);
  while (await removeOldDeliveries());
  expect(await left()).toEqual([]);
});

test("a point system has at most ten endpoints, and a form that is sent twice makes one", async () => {
  const owner = await createOwner();
  const one = {
    id: randomUUID(),
    url: new URL(receiver.url),
    eventTypes: WEBHOOK_EVENT_TYPE_NAMES,
  };
  await createWebhook(owner, one);
  expect(await failureOf(createWebhook(owner, one))).toMatchObject({ code: "webhook_exists" });
  for (let n = 1; n < WEBHOOKS_MAX; n += 1) await listen(owner);
  expect(await failureOf(listen(owner))).toMatchObject({ code: "too_many_webhooks" });
});

test("members of another point system find neither an endpoint nor its deliveries", async () => {
  const owner = await createOwner();
  const stranger = await createOwner();
  const { id } = await listen(owner);
  await createTrigger(owner, { key: "one", name: "One", points: 3, variable: null });
  const [{ seq = "" } = {}] = (await listDeliveries(owner, id, null)).deliveries;
  const viewer = await createMember(owner, "viewer");
  expect((await getDelivery(viewer, id, seq)).type).toBe("trigger.changed");
  for (const attempt of [
    () => getWebhook(stranger, id),
    () => getDelivery(stranger, id, seq),
    () => sendTest(stranger, id),
    () => replayDelivery(stranger, id, seq),
    () => skipDelivery(stranger, id, seq),
    () => replaySince(stranger, id, new Date(0)),
    () => switchWebhookOff(stranger, id),
    () => deleteWebhook(stranger, id),
  ]) {
    expect(await failureOf(attempt())).toMatchObject({ code: "not_found" });
  }
  expect((await listDeliveries(stranger, id, null)).deliveries).toEqual([]);
  await deleteWebhook(owner, id);
  expect(await listWebhooks(owner)).toEqual([]);
});
