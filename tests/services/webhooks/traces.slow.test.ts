import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WebhookEventType } from "../../../app/domain/webhooks/events";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { openWebhooks } from "../../../app/services/webhooks/call";
import { removeOldTraces } from "../../../app/services/webhooks/deliveries";
import { createWebhook } from "../../../app/services/webhooks/endpoints";
import { startWebhookDeliveries } from "../../../app/worker/webhook-deliveries";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { callManage, createKey } from "../../support/manage";
import { findOwner } from "../../support/operators";
import { scene } from "../../support/scene";
import { waitUntil } from "../../support/server-process";
import { other } from "../../support/test-database";
import { startReceiver, type WebhookReceiver } from "../../support/webhook-receiver";

const FIRST = "4bf92f3577b34da6a3ce929d0e0e4736";
const SECOND = "0af7651916cd43dd8448eb211c80319c";
const traced = (traceId: string) => ({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });

let receiver: WebhookReceiver;
beforeAll(async () => {
  useGiftCardKeys(createGiftCardKey("k1"));
  openWebhooks({ WEBHOOK_ALLOW_PRIVATE: ["127.0.0.1"] });
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

/** Makes events while nothing delivers, delivers them together, and reads the trace and the span of each delivery. */
async function deliver(
  eventTypes: readonly WebhookEventType[],
  act: (world: Awaited<ReturnType<typeof scene>>) => Promise<unknown>,
  attempts = 1,
) {
  const world = await scene();
  const owner = await findOwner(world.pointSystemId);
  await createWebhook(owner, { id: randomUUID(), url: new URL(receiver.url), eventTypes });
  await act(world);
  // What an earlier test was delivered may come again: a stop can cut off the note that it was answered.
  const listReceived = () =>
    receiver.received.filter(({ data }) => data.pointSystemId === world.pointSystemId);
  const failures: unknown[] = [];
  const deliveries = startWebhookDeliveries((_, error) => failures.push(error));
  await waitUntil(() => listReceived().length >= attempts, 20_000);
  await deliveries.stop();
  expect(failures).toEqual([]);
  return listReceived().map(({ id, headers }) => {
    const [version, trace, span, flags] = String(headers.traceparent).split("-");
    expect([version, flags]).toEqual(["00", "01"]);
    expect(span).toMatch(/^[\da-f]{16}$/);
    return { id, trace, span };
  });
}

test("a delivery of one request's credits goes on with the trace of the request", async () => {
  const [one] = await deliver(["points.credited"], ({ fire }) => fire({}, traced(FIRST)));
  expect(one?.trace).toBe(FIRST);
  expect(one?.span).not.toBe("00f067aa0ba902b7");
  const [several] = await deliver(["points.credited"], ({ fireBatch, wallet }) => {
    const item = { triggerKey: "daily_login", walletAddress: wallet };
    return fireBatch({ items: [item, item] }, traced(SECOND));
  });
  expect(several?.trace).toBe(SECOND);
});

test("a delivery of several requests, of an untraced one or of another event has its id as its trace", async () => {
  const expectOwn = ([delivery]: Awaited<ReturnType<typeof deliver>>) =>
    expect(delivery?.trace).toBe(delivery?.id.replaceAll("-", ""));
  expectOwn(
    await deliver(["points.credited"], async ({ fire }) => {
      await fire({}, traced(FIRST));
      await fire({}, traced(SECOND));
    }),
  );
  expectOwn(
    await deliver(["points.credited"], async ({ fire }) => {
      await fire({}, traced(FIRST));
      await fire();
    }),
  );
  expectOwn(
    await deliver(["wallet.blacklisted"], async ({ pointSystemId, wallet }) =>
      addToBlacklist(await findOwner(pointSystemId), [{ address: wallet, reason: "Sybil" }]),
    ),
  );
});

test("a delivery of a spend, and of a change by a key that manages, goes on with the trace of the request", async () => {
  const [spent] = await deliver(["points.spent"], async ({ fire, post, pointSystemId, wallet }) => {
    await fire();
    const body = { pointSystemId, walletAddress: wallet, points: 1, reason: "Mug" };
    expect((await post("/spend", body, traced(FIRST))).status).toBe(200);
  });
  expect(spent?.trace).toBe(FIRST);
  const [listed] = await deliver(["wallet.blacklisted"], async ({ pointSystemId, wallet }) => {
    const owner = await findOwner(pointSystemId);
    const { token } = await createKey(owner, "manage", [pointSystemId]);
    const input = { pointSystemId, wallets: [{ walletAddress: wallet, reason: "Sybil" }] };
    const answer = await callManage(token, "blacklist/add", input, traced(SECOND));
    expect(answer).toMatchObject({ status: 200 });
  });
  expect(listed?.trace).toBe(SECOND);
});

test("traces are kept while a webhook listens, for credits that are made, until they are delivered or a day old", async () => {
  const { pointSystemId, fire } = await scene();
  const listKept = () =>
    other`select trace_id from credit_traces where point_system_id = ${pointSystemId}`;
  await fire({}, traced(FIRST));
  expect(await listKept()).toEqual([]);
  await createWebhook(await findOwner(pointSystemId), {
    id: randomUUID(),
    url: new URL(receiver.url),
    eventTypes: ["points.credited"],
  });
  expect((await fire({}, traced(FIRST))).status).toBe(200);
  expect((await fire({ triggerKey: "no_such_trigger" }, traced(SECOND))).status).toBe(404);
  expect((await listKept()).map((row) => row.trace_id.replaceAll("-", ""))).toEqual([FIRST]);
  await removeOldTraces();
  expect(await listKept()).toHaveLength(1);
  await other`update credit_traces set created_at = created_at - interval '25 hours'`;
  await removeOldTraces();
  expect(await listKept()).toEqual([]);
  await fire({}, traced(FIRST));
  const deliveries = startWebhookDeliveries(() => {});
  await waitUntil(async () => (await listKept()).length === 0, 20_000);
  await deliveries.stop();
});

test("two webhooks go on with the trace of one credit", async () => {
  const deliveries = await deliver(
    ["points.credited"],
    async ({ pointSystemId, fire }) => {
      await createWebhook(await findOwner(pointSystemId), {
        id: randomUUID(),
        url: new URL(receiver.url),
        eventTypes: ["points.credited"],
      });
      await fire({}, traced(FIRST));
    },
    2,
  );
  expect(deliveries.map(({ trace }) => trace)).toEqual([FIRST, FIRST]);
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(2);
});

test("attempts of a delivery are spans of one trace", async () => {
  receiver.answer = (_, response) => {
    receiver.answer = (_request, next) => next.writeHead(204).end();
    response.writeHead(500).end();
  };
  const attempts = await deliver(["points.credited"], ({ fire }) => fire({}, traced(FIRST)), 2);
  expect(attempts.map(({ trace }) => trace)).toEqual([FIRST, FIRST]);
  expect(new Set(attempts.map(({ span }) => span)).size).toBe(2);
});
