import fc from "fast-check";
import { expect, test } from "vitest";
import { linkInLedger } from "../../../app/services/wallet-links/links";
import { atDepth } from "../../support/depth";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

const WALLETS = [1, 2, 3, 4, 5].map((n) => `0x${String(n).repeat(40)}`);
/** The first wallet is close to the points maximum, the second one is blacklisted. */
const [RICH, LISTED] = WALLETS as [string, string];
/** All of them as an array of PostgreSQL. */
const ADDRESSES = `{${WALLETS.map((address) => address.slice(2)).join()}}`;
const POINTS_MAX = 9_007_199_254_740_991;

const item = fc.record(
  {
    triggerKey: fc.constantFrom("daily_login", "variable", "off", "unknown"),
    points: fc.constantFrom(1, 7, 600),
    idempotencyKey: fc.constantFrom("a", "b", "c", "d", "e"),
  },
  { requiredKeys: ["triggerKey"] },
);
const toItems = (items: readonly object[], wallets: readonly string[]) =>
  items.map((each, i) => ({ ...each, walletAddress: wallets[i] as string }));
/** A call of up to five wallets, none twice. */
const batch = fc
  .tuple(
    fc.array(item, { minLength: 1, maxLength: WALLETS.length }),
    fc.shuffledSubarray(WALLETS, { minLength: WALLETS.length }),
  )
  .map(([items, wallets]) => ({ items: toItems(items, wallets), times: 1 }));
/** Calls of one wallet one after the other, which meet the trigger limit. */
const volley = fc
  .record({ wallet: fc.constantFrom(...WALLETS), times: fc.integer({ min: 1, max: 12 }) })
  .map(({ wallet, times }) => ({
    items: [{ triggerKey: "daily_login", walletAddress: wallet }],
    times,
  }));

/** Creates a point system with a trigger of each kind. */
async function createSystem() {
  const made = await scene({
    triggers: [
      { key: "variable", points: 5 },
      { key: "off", points: 5 },
    ],
    events: [{ address: RICH, points: 1 }],
    blacklist: [{ address: LISTED }],
  });
  const { pointSystemId } = made;
  await other`
    update triggers set points_min = 1, points_max = 500 where point_system_id = ${pointSystemId} and key = 'variable'`;
  await other`update triggers set is_active = false where point_system_id = ${pointSystemId} and key = 'off'`;
  await other`
    update wallets set points = ${POINTS_MAX - 25}
    where point_system_id = ${pointSystemId} and address = ${Buffer.from(RICH.slice(2), "hex")}`;
  return made;
}

/** Reads what credits have left in a point system. */
async function readLedger(pointSystemId: string) {
  const wallets = await other`
    select address, points, events from wallets
    where point_system_id = ${pointSystemId} and encode(address, 'hex') = any(${ADDRESSES}::text[]) order by address`;
  const events = await other`
    select address, points, balance, event, opens_wallet from point_events
    where point_system_id = ${pointSystemId} and api_key_id is not null order by seq`;
  const keys = await other`
    select request, points from idempotency_records where point_system_id = ${pointSystemId} order by request, points`;
  return { wallets, events, keys };
}

test("a point system with a linked wallet answers and writes as one without, whose calls a shorter statement credits", async () => {
  const history = fc.array(fc.oneof(batch, volley), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const [plain, linked] = await Promise.all([createSystem(), createSystem()]);
      const [address, primaryAddress] = [createAddress(), createAddress()];
      await linkInLedger(linked.pointSystemId, { address, primaryAddress }, null);
      for (const { items, times } of steps) {
        for (let time = 0; time < times; time += 1) {
          const [expected, answer] = await Promise.all(
            [linked, plain].map(async ({ fireBatch }) => {
              const { status, body } = await fireBatch({ items });
              return { status, body };
            }),
          );
          expect(answer).toEqual(expected);
        }
      }
      const ledger = await readLedger(plain.pointSystemId);
      expect(ledger).toEqual(await readLedger(linked.pointSystemId));
      const counts = await other`
        select t.wallets - (select count(*) from wallets where point_system_id = ${plain.pointSystemId}) as wallets,
          t.events - (select count(*) from point_events where point_system_id = ${plain.pointSystemId}) as events
        from read_totals(${plain.pointSystemId}) t`;
      expect(counts).toEqual([{ wallets: "0", events: "0" }]);
    }),
    { numRuns: atDepth(4, 20) },
  );
});
