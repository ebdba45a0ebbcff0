import { expect, test } from "vitest";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { type CreditOrder, creditOrders } from "../../../app/services/ledger/credit-statement";
import { takeClock } from "../../support/moved-clock";
import { createAddress, scene } from "../../support/scene";

const clock = await takeClock();

const terms = () => ({ connection: 0, endsAtMs: performance.now() + 4_000 });

/** Prepares a point system and orders of one call for it. */
async function startLedger() {
  const { pointSystemId, token, triggerKey } = await scene();
  const createOrder = (): CreditOrder => ({
    pointSystemId,
    tokenHash: hashApiKeyToken(token),
    calls: [
      {
        eventId: createEventId(),
        triggerKey,
        walletAddress: createAddress(),
        idempotencyKey: null,
        points: null,
        areFixedPointsStrict: false,
        occurredAt: null,
        metadata: null,
      },
    ],
    isAtomic: false,
    isUncertain: false,
  });
  const countEvents = async () => {
    const [stored] = await clock.sql<{ events: number }[]>`
      select count(*)::int as events from point_events where point_system_id = ${pointSystemId}`;
    return stored?.events;
  };
  return { createOrder, countEvents };
}

test.each([
  ["ahead", 3_600_000],
  ["back", -3_600_000],
])(
  "a credit without a key whose connection was lost is credited once, though the database's clock was set and jumped %s since",
  async (_, jumpMs) => {
    await clock.set(new Date());
    const { createOrder, countEvents } = await startLedger();
    // The process learns the clock from the first answer.
    await creditOrders([createOrder()], terms());
    await clock.jump(-500);
    const order = createOrder();
    await creditOrders([order], terms());
    await clock.jump(jumpMs);
    order.isUncertain = true;
    const [[verdict] = []] = await creditOrders([order], terms());
    expect(verdict).toMatchObject({ verdict: "credited" });
    expect(await countEvents()).toBe(2);
  },
);

test("a new credit in the batch that settles others is credited once, though its connection was lost and the clock jumped ahead", async () => {
  await clock.set(new Date());
  const { createOrder, countEvents } = await startLedger();
  await creditOrders([createOrder()], terms());
  const [uncertain, fresh] = [createOrder(), createOrder()];
  await creditOrders([uncertain], terms());
  uncertain.isUncertain = true;
  await creditOrders([uncertain, fresh], terms());
  await clock.jump(3_600_000);
  fresh.isUncertain = true;
  const [[verdict] = []] = await creditOrders([fresh], terms());
  expect(verdict).toMatchObject({ verdict: "credited" });
  expect(await countEvents()).toBe(3);
});
