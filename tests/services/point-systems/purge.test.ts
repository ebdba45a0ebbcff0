import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { getMember } from "../../../app/services/access/members";
import { verifyLedger } from "../../../app/services/ledger/verify";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import { createExample, dumpDatabase, load } from "../../support/fixture-file";
import { findOwner, toActor } from "../../support/operators";
import { createAddress, scene } from "../../support/scene";

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
