import { expect, test } from "vitest";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { type CreditOrder, creditOrders } from "../../../app/services/ledger/credit-statement";
import { takeClock } from "../../support/moved-clock";
import { createAddress, scene } from "../../support/scene";

const clock = await takeClock();

test.each([
  ["ahead", 3_600_000],
  ["back", -3_600_000],
])(
  "a credit without a key whose connection was lost is credited once, though the database's clock was set and jumped %s since",
  async (_, jumpMs) => {
    await clock.set(new Date());
    const { pointSystemId, token, triggerKey } = await scene();
    const terms = () => ({ connection: 0, endsAtMs: performance.now() + 4_000 });
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
    // The process learns the clock from the first answer.
    await creditOrders([createOrder()], terms());
    await clock.jump(-500);
    const order = createOrder();
    await creditOrders([order], terms());
    await clock.jump(jumpMs);
    order.isUncertain = true;
    const [[verdict] = []] = await creditOrders([order], terms());
    expect(verdict).toMatchObject({ verdict: "credited" });
    const [stored] = await clock.sql`
      select count(*)::int as events from point_events where point_system_id = ${pointSystemId}`;
    expect(stored).toEqual({ events: 2 });
  },
);
