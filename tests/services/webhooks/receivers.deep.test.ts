import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import net, { type AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { getMember } from "../../../app/services/access/members";
import { openWebhooks } from "../../../app/services/webhooks/call";
import { listDeliveries } from "../../../app/services/webhooks/deliveries";
import { createWebhook, WEBHOOKS_MAX } from "../../../app/services/webhooks/endpoints";
import { getWebhook } from "../../../app/services/webhooks/webhooks";
import { startWebhookDeliveries } from "../../../app/worker/webhook-deliveries";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { createOwner, createPointSystem, grant } from "../../support/operators";
import { createAddress } from "../../support/scene";
import { waitUntil } from "../../support/server-process";
import { startReceiver, type WebhookReceiver } from "../../support/webhook-receiver";

const failures: unknown[] = [];
let deliveries: ReturnType<typeof startWebhookDeliveries>;
let bystander: WebhookReceiver;
beforeAll(async () => {
  useGiftCardKeys(createGiftCardKey("k1"));
  openWebhooks({ WEBHOOK_ALLOW_PRIVATE: ["127.0.0.1"] });
  bystander = await startReceiver();
  deliveries = startWebhookDeliveries((_, error) => failures.push(error));
});
afterAll(async () => {
  await deliveries.stop();
  await bystander.close();
  expect(failures).toEqual([]);
});

/** Credits a wallet in a point system of its own whose one endpoint is at the URL. */
async function creditTo(url: string) {
  const owner = await createOwner();
  const id = randomUUID();
  await createWebhook(owner, { id, url: new URL(url), eventTypes: ["points.credited"] });
  await grant(owner, createAddress(), 5);
  return { owner, id };
}

/** Waits for the first attempt, and reads its outcome. */
async function firstAttempt({ owner, id }: Awaited<ReturnType<typeof creditTo>>) {
  const read = async () => (await listDeliveries(owner, id, null)).deliveries[0];
  await waitUntil(async () => (await read())?.attempts === 1, 15_000);
  const { state, status, problem, tookMs } = (await read()) ?? {};
  return { state, status, problem, tookMs: tookMs ?? 0 };
}

/** Expects that another endpoint is delivered to as usual. */
async function expectBystanderServed(): Promise<void> {
  const count = bystander.received.length;
  const creditedAt = Date.now();
  await creditTo(bystander.url);
  await waitUntil(() => bystander.received.length > count, 5_000);
  expect(Date.now() - creditedAt).toBeLessThan(2_000);
}

const ANSWERS: [string, RequestListener, { status: number | null; problem: string }, number][] = [
  [
    "redirects",
    (_, response) => response.writeHead(302, { Location: bystander.url }).end(),
    { status: 302, problem: "It answered 302. Redirects are not followed" },
    0,
  ],
  ["hangs", () => {}, { status: null, problem: "It did not answer within 10 seconds" }, 9_900],
  [
    "is in trouble, and talks without end",
    (_, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
      response.on("close", () => clearInterval(timer));
    },
    { status: 500, problem: "It answered 500" },
    0,
  ],
  [
    "cuts the connection",
    (request) => request.socket.destroy(),
    { status: null, problem: "The connection failed: ECONNRESET" },
    0,
  ],
];

test.each(ANSWERS)(
  "a receiver that %s fails, and holds up no other endpoint",
  async (_, answer, outcome, tookMs) => {
    const receiver = await startReceiver();
    receiver.answer = answer;
    const credited = await creditTo(receiver.url);
    await waitUntil(() => receiver.received.length === 1, 5_000);
    const before = bystander.received.length;
    await expectBystanderServed();
    const attempt = await firstAttempt(credited);
    expect(attempt).toMatchObject({ state: "waiting", ...outcome });
    expect(attempt.tookMs).toBeGreaterThanOrEqual(tookMs);
    expect(attempt.tookMs).toBeLessThan(11_000);
    expect(bystander.received.length).toBe(before + 1);
    // It is repeated, and recovers.
    receiver.answer = (_request, response) => response.writeHead(200).end();
    await waitUntil(() => receiver.received.length === 2, 10_000);
    await waitUntil(
      async () => (await getWebhook(credited.owner, credited.id)).failingSince === null,
      5_000,
    );
    await receiver.close();
  },
);

test("a receiver that answers at once but never ends its answer has taken the delivery", async () => {
  const receiver = await startReceiver();
  receiver.answer = (_, response) => {
    response.writeHead(200).write("On");
  };
  const credited = await creditTo(receiver.url);
  expect(await firstAttempt(credited)).toMatchObject({ state: "delivered", status: 200 });
  await receiver.close();
});

test.each([
  ["garbage", "\0\xff garbage \r\n\r\n"],
  [
    "another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
  ],
  ["headers without end", `HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(10_000)}`],
])("a receiver that answers %s fails", async (_, text) => {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const attempt = await firstAttempt(await creditTo(`http://127.0.0.1:${port}/`));
  expect(attempt).toMatchObject({ state: "waiting", status: null });
  expect(attempt.problem).toMatch(/^The connection failed/);
  server.close();
});

test("a receiver that is down fails at once, and gets the same delivery when it is back", async () => {
  const receiver = await startReceiver();
  await receiver.close();
  const credited = await creditTo(receiver.url);
  expect(await firstAttempt(credited)).toMatchObject({
    state: "waiting",
    problem: "The connection failed: ECONNREFUSED",
  });
});

test.each([
  "http://127.0.0.2/",
  "http://[::1]/",
  "https://10.0.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "http://93.184.215.14/",
  "https://93.184.215.14:25/",
  "https://[::ffff:10.0.0.1]/",
  "https://2130706434/",
])("%s is not called", async (url) => {
  expect(await firstAttempt(await creditTo(url))).toMatchObject({
    status: null,
    problem: "The host has no address, or one that may not be called",
  });
});

test("seventy receivers that answer slowly leave room for those that answer at once", async () => {
  const receiver = await startReceiver();
  receiver.answer = (_, response) => {
    setTimeout(() => response.writeHead(200).end(), 4_000);
  };
  const hooks: Awaited<ReturnType<typeof creditTo>>[] = [];
  for (let n = 0; n < 70; n += 1) hooks.push(await creditTo(receiver.url));
  // Each answers once: from then on they have a part of the room only.
  const countDelivered = async () => {
    const [row] = await withDatabase((db) =>
      db.execute<{ count: number }>(sql`
        select count(*)::int as count from webhook_deliveries d
        join webhook_endpoints e on e.point_system_id = d.point_system_id and e.id = d.endpoint_id
        where e.url = ${receiver.url} and d.state = 'delivered'`),
    );
    return row?.count;
  };
  await waitUntil(async () => (await countDelivered()) === 70, 30_000);
  for (const { owner } of hooks) await grant(owner, createAddress(), 5);
  await waitUntil(() => receiver.received.length >= 70 + 30, 10_000);
  await expectBystanderServed();
  await waitUntil(async () => (await countDelivered()) === 140, 30_000);
  await receiver.close();
}, 120_000);

test("a hundred hanging receivers leave room for those that answer", async () => {
  const receiver = await startReceiver();
  receiver.answer = () => {};
  for (let n = 0; n < 100; n += 1) await creditTo(receiver.url);
  // Each fails once: from then on they have a part of the room only.
  await waitUntil(async () => {
    const [failed] = await withDatabase((db) =>
      db.execute<{ count: number }>(sql`
        select count(*)::int as count from webhook_endpoints
        where url = ${receiver.url} and failures > 0`),
    );
    return failed?.count === 100;
  }, 60_000);
  const tried = receiver.received.length;
  await withDatabase((db) =>
    db.execute(sql`update webhook_endpoints set due_at = now() where url = ${receiver.url}`),
  );
  await waitUntil(() => receiver.received.length >= tried + 16, 30_000);
  await expectBystanderServed();
  await withDatabase((db) =>
    db.execute(sql`delete from webhook_endpoints where url = ${receiver.url}`),
  );
  await receiver.close();
}, 120_000);

test("seventy receivers of one owner that are busy for seconds leave room for those of others", async () => {
  const receiver = await startReceiver();
  let open = 0;
  let most = 0;
  receiver.answer = (_, response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.writeHead(200).end();
    }, 300);
  };
  const { actor } = await createOwner();
  for (let n = 0; n < 7; n += 1) {
    const pointSystemId = await createPointSystem(actor.operatorId, `Beta ${n}`);
    const owner = await getMember(actor, pointSystemId, "owner");
    for (let m = 0; m < WEBHOOKS_MAX; m += 1) {
      const id = randomUUID();
      await createWebhook(owner, { id, url: new URL(receiver.url), eventTypes: ["points.spent"] });
    }
  }
  await withDatabase((db) =>
    db.execute(sql`
      insert into webhook_deliveries (point_system_id, endpoint_id, type, data)
      select point_system_id, id, 'points.spent', '{}' from webhook_endpoints
      cross join generate_series(1, 100) where url = ${receiver.url}`),
  );
  await waitUntil(() => receiver.received.length >= 50, 10_000);
  await expectBystanderServed();
  expect(most).toBeGreaterThan(16);
  expect(most).toBeLessThanOrEqual(32);
  await withDatabase((db) =>
    db.execute(sql`delete from webhook_endpoints where url = ${receiver.url}`),
  );
  await waitUntil(() => open === 0, 5_000);
  await receiver.close();
}, 120_000);
