import fs from "node:fs";
import { sql } from "drizzle-orm";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase, openDatabase, withDatabase } from "../../app/db/client";
import { ownsLedger } from "../../app/db/ledger-owner";
import { migrateDatabase } from "../../app/db/migrations";
import type { DatabaseAddress } from "../../app/db/pool";
import { createReadiness } from "../../app/db/readiness";
import { DATABASE_DEADLINE_MS, STATEMENT_TIMEOUT_MS } from "../../app/domain/deadline";
import { getMember } from "../../app/services/access/members";
import {
  setIdempotencyDays,
  turnIdempotencyRecords,
} from "../../app/services/ledger/idempotency-records";
import { deletePointSystem } from "../../app/services/point-systems/point-systems";
import { purgeDeletedPointSystem } from "../../app/services/point-systems/purge";
import { createExample, load } from "../support/fixture-file";
import { toActor } from "../support/operators";
import { expectLedgerOutOfReach } from "../support/service-role";
import { database, other } from "../support/test-database";

// The statements of docs/operating.md, with roles and a database of this test's names.

const NAME = `${database.database}_two`;
const ROLES = { owner: `${NAME}_owner`, service: `${NAME}_service` };
const RIGHTS = fs.readFileSync("app/db/service-rights.sql", "utf8");

const text = fs.readFileSync("docs/operating.md", "utf8").split("### Two roles")[1] ?? "";
const blocks = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, block = ""]) => block);
const [making = "", granting = ""] = blocks.map((block) =>
  block
    .replaceAll("points_owner", ROLES.owner)
    .replaceAll("points_service", ROLES.service)
    .replace("create database points", `create database ${NAME}`),
);

const addressOf = (username: string, password: string) =>
  ({ ...database, database: NAME, username, password }) as DatabaseAddress;
const open = (address: DatabaseAddress) =>
  openDatabase({
    address,
    connectionsMax: 10,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    deadlineMs: DATABASE_DEADLINE_MS,
  });

let owner: Sql;
beforeAll(async () => {
  for (const statement of making.split(";").filter((each) => each.trim() !== "")) {
    await other.unsafe(statement);
  }
  await migrateDatabase(addressOf(ROLES.owner, "one"));
  owner = postgres({ ...database, database: NAME, username: ROLES.owner, password: "one", max: 1 });
  await owner.unsafe(granting);
  await closeDatabase();
  open(addressOf(ROLES.service, "another"));
}, 60_000);
afterAll(async () => {
  await closeDatabase();
  await owner.end();
  await other.unsafe(`drop database ${NAME} with (force)`);
  for (const role of Object.values(ROLES)) await other.unsafe(`drop role ${role}`);
  open(database as DatabaseAddress);
});

test("the guide's statements are those that the embedded database's role gets", () => {
  expect(blocks[1]).toBe(RIGHTS);
});

test("the service's role serves: it is ready, credits, turns records and purges a deleted point system", async () => {
  const readiness = createReadiness((error) => {
    throw error;
  });
  await readiness.begin();
  expect(await readiness.isReady()).toBe(true);
  await readiness.close();
  const example = createExample();
  await load(example);
  const { id, operator, name } = example.pointSystems[0];
  const [found] = await withDatabase((db) =>
    db.execute<{ id: string }>(sql`select id from operators where email = ${operator}`),
  );
  await owner`update idempotency_turns set began_at = now() - interval '99 days'`;
  setIdempotencyDays(30);
  expect(await turnIdempotencyRecords()).toBe(false);
  // The table is another one now, and the service has its rights on it.
  await withDatabase((db) => db.execute(sql`delete from idempotency_records`));
  const member = await getMember(toActor({ id: found?.id ?? "", email: operator }), id, "owner");
  await expect(
    withDatabase((db) => db.execute(sql`select purge_ledger('point_events', ${id}, 10)`)),
  ).rejects.toMatchObject({
    cause: { message: "the point system is neither deleted nor a sandbox" },
  });
  await expect(
    withDatabase((db) => db.execute(sql`select purge_ledger('wallets', ${id}, 10)`)),
  ).rejects.toMatchObject({ cause: { message: "wallets is no ledger" } });
  await deletePointSystem(member, name);
  while (await purgeDeletedPointSystem());
  const [left] = await owner`select count(*)::int as events from point_events`;
  expect(left).toEqual({ events: 0 });
});

test("the service's role owns nothing, and changes, removes or takes apart neither ledger nor audit log", async () => {
  await load(createExample());
  expect(await ownsLedger()).toBe(false);
  await expectLedgerOutOfReach();
});

test("the role that owns the tables is known as their owner, and so is a superuser", async () => {
  for (const address of [
    addressOf(ROLES.owner, "one"),
    { ...database, database: NAME } as DatabaseAddress,
  ]) {
    await closeDatabase();
    open(address);
    expect(await ownsLedger()).toBe(true);
  }
  await closeDatabase();
  open(addressOf(ROLES.service, "another"));
});
