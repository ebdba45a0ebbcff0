import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { getMember } from "../../../app/services/access/members";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../../app/services/point-systems/purge";
import { createExample, dumpDatabase, load } from "../../support/fixture-file";
import { toActor } from "../../support/operators";

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
