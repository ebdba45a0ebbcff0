import { beforeAll, expect, test } from "vitest";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { creditOrders } from "../../../app/services/ledger/credit-statement";
import { takeClock } from "../../support/moved-clock";
import { createAddress, scene } from "../../support/scene";

let clock: Awaited<ReturnType<typeof takeClock>>;
beforeAll(async () => {
  clock = await takeClock();
});

test.each([
  ["a day ahead", 86_400_000],
  ["a day back", -86_400_000],
])("after the database's clock jumped %s, at most one statement is refused", async (_, jumpMs) => {
  const { pointSystemId, token, triggerKey } = await scene();
  const give = async () => {
    const walletAddress = createAddress();
    const call = { triggerKey, walletAddress, points: null, areFixedPointsStrict: false };
    const rest = {
      eventId: createEventId(),
      idempotencyKey: null,
      occurredAt: null,
      metadata: null,
    };
    const order = {
      pointSystemId,
      tokenHash: hashApiKeyToken(token),
      calls: [{ ...call, ...rest }],
      isAtomic: false,
      isUncertain: false,
    };
    const endsAtMs = performance.now() + 4_000;
    const [[verdict] = []] = await creditOrders([order], { connection: 0, endsAtMs });
    return verdict?.verdict;
  };
  expect(await give()).toBe("credited");
  await clock.jump(jumpMs);
  await give().catch((error) => expect(error).toMatchObject({ code: "not_credited" }));
  expect(await give()).toBe("credited");
});
