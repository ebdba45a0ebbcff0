import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Failure } from "../../../app/domain/failure";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { spendPoints } from "../../../app/services/ledger/spending";
import { linkWallets, unlinkWallet } from "../../../app/services/wallet-links/links";
import { atDepth } from "../../support/depth";
import { voidById } from "../../support/events";
import { findOwner } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

const wallet = fc.nat({ max: 3 });
const is = <Kind extends string>(kind: Kind) => fc.constant(kind);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ kind: is("file"), wallet, points: fc.integer({ min: 1, max: 40 }) },
      // A file may date events to any time.
      year: fc.constantFrom("0001", "1969", "2024", "2025", "2026", "9999"),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: is("credit"), wallet }) },
  { weight: 4, arbitrary: fc.record({ kind: is("void"), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: is("link"), wallet, primary: wallet }) },
  { weight: 1, arbitrary: fc.record({ kind: is("unlink"), wallet }) },
  { weight: 2, arbitrary: fc.record({ kind: is("spend"), wallet }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function createWorld() {
  const { operator, pointSystemId, fire } = await scene();
  const member = await findOwner(pointSystemId);
  const wallets = Array.from({ length: 4 }, createAddress);
  const addressOf = (place: number) => wallets[place] as `0x${string}`;

  async function act(next: Step): Promise<void> {
    if (next.kind === "file") {
      const date = `${next.year}-06-01T00:00:00Z`;
      const events = [{ address: addressOf(next.wallet), points: next.points, date }];
      const system = { operator, id: pointSystemId, name: "Alpha", events };
      await loadFixture({ pointSystems: [system] });
    } else if (next.kind === "credit") await fire({ walletAddress: addressOf(next.wallet) });
    else if (next.kind === "void") {
      const events = await other<{ id: string }[]>`
        select id from point_events
        where point_system_id = ${pointSystemId} and voids is null and moved_events is null order by seq`;
      const event = events[next.pick % Math.max(1, events.length)];
      if (event) await voidById(member, event.id);
    } else if (next.kind === "link") {
      const [address, primaryAddress] = [addressOf(next.wallet), addressOf(next.primary)];
      await linkWallets(member, { address, primaryAddress });
    } else if (next.kind === "unlink") await unlinkWallet(member, addressOf(next.wallet));
    else {
      const call = { pointSystemId, walletAddress: addressOf(next.wallet), points: 7 };
      await spendPoints({ id: randomUUID() }, { ...call, reason: "Mug", idempotencyKey: null });
    }
  }

  /** Lists the balances that are not the plain sum, at every time of the ledger, around it and far from it. */
  const listDifferences = async () =>
    Array.from(
      await other`
        with moments as materialized (
          select distinct m.at + d.beside as at from (
            select created_at as at from point_events where point_system_id = ${pointSystemId}
            union select created_at from spends where point_system_id = ${pointSystemId}
          ) m cross join unnest('{-1 ms, 0, 1 ms}'::interval[]) d(beside)
          union select unnest('{-infinity, infinity, 1990-01-01 00:00Z}'::timestamptz[])
        )
        select w.address, t.at, b.balance, b.expected from moments t
        cross join (select distinct address from point_events where point_system_id = ${pointSystemId}) w
        cross join lateral (
          select balance_at(${pointSystemId}, w.address, t.at) as balance, coalesce((
            select sum(points) from point_events
            where point_system_id = ${pointSystemId} and address = w.address and created_at <= t.at
          ), 0) - coalesce((
            select sum(points) from spends
            where point_system_id = ${pointSystemId} and address = w.address and created_at <= t.at
          ), 0) as expected
        ) b where b.balance <> b.expected`,
    );
  return { act, listDifferences };
}

test("a balance at any time is what the events and spends of the wallet until then add up to, in any history", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      const world = await createWorld();
      for (const next of steps) {
        await world.act(next).catch((error: unknown) => {
          if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
        });
      }
      expect(await world.listDifferences()).toEqual([]);
    }),
    { numRuns: atDepth(6, 60) },
  );
}, 300_000);
