import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { inTransaction, type Transaction, withDatabase } from "../../../app/db/client";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { getMember } from "../../../app/services/access/members";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import { type Place, removeBatch } from "../../../app/services/point-systems/removal";
import { startQueue } from "../../../app/worker/queue";
import { createExample, dumpDatabase, load } from "../../support/fixture-file";
import { findOwner, toActor } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

test("a deleted point system leaves no row behind, and others keep theirs", async () => {
  const [doomed, kept] = [createExample(), createExample()];
  await load(doomed);
  await load(kept);
  const { id, operator } = doomed.pointSystems[0];
  const [owner] = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`select id from operators where email = ${operator}`),
  );
  const actor = toActor({ id: owner?.id ?? "", email: operator });
  await deletePointSystem(await getMember(actor, id, "owner"), doomed.pointSystems[0].name);

  while (await purgeDeletedPointSystem());

  const tables = Object.entries(await dumpDatabase()).filter(([name]) => name !== "audit_log");
  expect(JSON.stringify(tables)).not.toContain(id);
  const { id: keptId, events } = kept.pointSystems[0];
  const [counts] = await withDatabase((db) =>
    db.execute<{ events: number }>(
      sql`select count(*)::int as events from point_events where point_system_id = ${keptId}`,
    ),
  );
  expect(counts?.events).toBe(events.length);
});

test("calls of a point system that was purged and loaded again with its id credit anew", async () => {
  const { pointSystemId, operator, fire, pointsOf, token, triggerKey, wallet } = await scene();
  const key = { "Idempotency-Key": "order-1" };
  const replays = async () => {
    const { status, headers } = await fire({}, key);
    return [status, headers.get("Idempotent-Replayed")];
  };
  expect([await replays(), await replays()]).toEqual([
    [200, null],
    [200, "true"],
  ]);
  await deletePointSystem(await findOwner(pointSystemId), "Alpha");
  while (await purgeDeletedPointSystem());
  const triggers = [{ name: "Daily login", key: triggerKey, points: 10 }];
  const events = [{ address: wallet, points: 5, date: "2026-01-02T00:00:00Z" }];
  await load({
    pointSystems: [{ operator, id: pointSystemId, name: "Alpha", triggers, events }],
  });
  // The key has its scope again.
  await other`
    insert into api_key_point_systems (api_key_id, point_system_id)
    select id, ${pointSystemId} from api_keys where token_hash = ${hashApiKeyToken(token)}`;
  expect([await replays(), await replays()]).toEqual([
    [200, null],
    [200, "true"],
  ]);
  expect(await pointsOf(wallet)).toBe(15);
});

test("ledger:verify finds nothing wrong between the steps of a deletion", async () => {
  const events = Array.from({ length: 3_000 }, () => ({ address: createAddress(), points: 1 }));
  const { pointSystemId } = await scene({ events });
  await deletePointSystem(await findOwner(pointSystemId), "Alpha");
  let steps = 0;
  do {
    steps += 1;
    const { differences } = await verifyLedger();
    expect(differences.filter((each) => each.pointSystemId === pointSystemId)).toEqual([]);
  } while (await purgeDeletedPointSystem(pointSystemId));
  expect(steps).toBeGreaterThan(2);
});

test("the queue removes a deleted point system, batch after batch", async () => {
  const events = Array.from({ length: 5_000 }, () => ({ address: createAddress(), points: 1 }));
  const { pointSystemId } = await scene({ events });
  await deletePointSystem(await findOwner(pointSystemId), "Alpha");
  const failures: unknown[] = [];
  const queue = startQueue((_, error) => failures.push(error));
  const countLeft = async () => {
    const [left] = await other`
      select (select count(*)::int from point_systems where id = ${pointSystemId}) as systems,
        (select count(*)::int from wallets where point_system_id = ${pointSystemId}) as wallets,
        (select count(*)::int from point_events where point_system_id = ${pointSystemId}) as events`;
    return left;
  };
  await expect.poll(countLeft, { timeout: 20_000 }).toEqual({ systems: 0, wallets: 0, events: 0 });
  await queue.stop();
  expect(failures).toEqual([]);
});

// On Citus the entries are read on other nodes.
test.skipIf(process.env.TEST_ENGINE === "citus").each(["point_events", "wallets"])(
  "a batch of a removal reads no more than the first one, while an old snapshot keeps what was removed: %s",
  async (table) => {
    const { pointSystemId } = await scene();
    await other`
      insert into point_events (point_system_id, id, address, points, balance, created_at)
      select ${pointSystemId}, gen_random_uuid(), decode(lpad(to_hex(n), 40, '0'), 'hex'), 1, 1, now()
      from generate_series(1, 12000) n`;
    await other`
      insert into wallets (point_system_id, address, points, events, created_at)
      select point_system_id, address, points, 1, created_at from point_events
      where point_system_id = ${pointSystemId}`;
    await deletePointSystem(await findOwner(pointSystemId), "Alpha");
    const removal = {
      pointSystemId,
      tables: [table],
      // As of a point system with a board.
      listIds: () => sql`select ${pointSystemId}::uuid union all select ${randomUUID()}::uuid`,
    };
    const readOf = (tx: Transaction) =>
      tx.execute<{ entries: number }>(sql`
        select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as entries from pg_index
        where indrelid = ${table}::regclass`);
    const reads: number[] = [];
    await other.begin("isolation level repeatable read", async (snapshot) => {
      await snapshot`select from point_systems limit 1`;
      for (let place: Place | null = {}; place; ) {
        const from: Place = place;
        place = await inTransaction(async (tx) => {
          const [before] = await readOf(tx);
          const { rest } = await removeBatch(tx, removal, from);
          const [after] = await readOf(tx);
          reads.push((after?.entries ?? 0) - (before?.entries ?? 0));
          return rest;
        });
      }
    });
    // The last one finds the end.
    expect(reads.length).toBe(7);
    const [first = 0, ...others] = reads;
    expect(first).toBeGreaterThan(0);
    expect(Math.max(...others)).toBeLessThanOrEqual(first);
  },
);
