import fs from "node:fs";
import { sql } from "drizzle-orm";
import { expect, inject, onTestFinished, test } from "vitest";
import { distributeDatabase } from "../../app/db/citus/distribute";
import { closeDatabase, withDatabase } from "../../app/db/client";
import { commandDatabase, prepareDatabase } from "../../app/db/open";
import type { DatabaseAddress } from "../../app/db/pool";
import { foldRanks, rebuildRanks } from "../../app/services/board/rank-counts";
import { verifyLedger } from "../../app/services/ledger/verify";
import { deletePointSystem } from "../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../app/services/point-systems/purge";
import { runOn, toUrl } from "../support/citus";
import { reopenDatabase, useNewDatabase } from "../support/citus-database";
import { commitFile, runImports, statusOf, toCsv } from "../support/imports";
import { findOwner } from "../support/operators";
import { createAddress, scene } from "../support/scene";

test("a role with the rights that the guide names serves a distributed database, and changes no event", async () => {
  const address = await useNewDatabase();
  await closeDatabase();
  await distributeDatabase(address, () => {});
  const { database: name } = address as { database: string };
  const coordinator = [inject("cluster")];
  const rights = fs.readFileSync("app/db/service-rights.sql", "utf8");
  await runOn(coordinator, name, "create role points_service login", rights);
  const service = { ...(address as object), username: "points_service" } as DatabaseAddress;
  onTestFinished(async () => {
    await closeDatabase();
    await runOn(coordinator, name, "drop owned by points_service", "drop role points_service");
  });

  const { release } = await prepareDatabase(
    commandDatabase({ DATABASE_URL: toUrl(service), DATA_DIR: "nowhere" }, () => {}),
  );
  await release();
  await reopenDatabase(service);
  const world = await scene();
  const { pointSystemId, wallet } = world;
  const owner = await findOwner(pointSystemId);
  await rebuildRanks(pointSystemId);
  for (let n = 0; n < 5; n += 1) expect((await world.fire()).status).toBe(200);
  const spend = { pointSystemId, walletAddress: wallet, points: 20, reason: "Mug" };
  expect((await world.post("/spend", spend, { "Idempotency-Key": "one" })).body).toMatchObject({
    success: true,
  });
  const id = await commitFile(owner, toCsv([[createAddress(), 7]]));
  await runImports();
  expect(await statusOf(owner, id)).toBe("committed");
  while ((await foldRanks(pointSystemId)) > 0);
  const { body } = await world.get("/leaderboard");
  expect(body.leaderboard.map(({ points }: { points: number }) => points)).toEqual([50, 7]);
  for (const statement of ["update point_events set points = 1", "delete from point_events"]) {
    const refusal = withDatabase((db) => db.execute(sql.raw(statement)));
    await expect(refusal).rejects.toMatchObject({ cause: { code: "42501" } });
  }
  expect((await verifyLedger()).differences).toEqual([]);
  await deletePointSystem(owner, "Alpha");
  while (await purgeDeletedPointSystem());
  expect(await verifyLedger()).toMatchObject({ differences: [], pointSystems: 0, events: 0 });
});
