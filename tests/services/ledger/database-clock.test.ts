import { beforeAll, expect, test } from "vitest";
import { takeClock } from "../../support/moved-clock";
import { createAddress, scene } from "../../support/scene";

let clock: Awaited<ReturnType<typeof takeClock>>;
beforeAll(async () => {
  clock = await takeClock();
});

test.each([
  ["a day ahead", 86_400_000],
  ["a day back", -86_400_000],
])("after the database's clock jumped %s, no call is refused for it", async (_, jumpMs) => {
  const { fire } = await scene();
  const give = async () => (await fire({ walletAddress: createAddress() })).status;
  expect(await give()).toBe(200);
  await clock.jump(jumpMs);
  expect(await Promise.all([give(), give(), give()])).toEqual([200, 200, 200]);
  expect(await give()).toBe(200);
});
