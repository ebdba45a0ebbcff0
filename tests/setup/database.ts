import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterAll, inject } from "vitest";
import { closeDatabase, openDatabase } from "../../app/db/client";
import type { DatabaseAddress } from "../../app/db/pool";
import { DATABASE_DEADLINE_MS, STATEMENT_TIMEOUT_MS } from "../../app/domain/deadline";
import { takeDatabase } from "../support/test-database";
import { TEMPLATE_DATABASE } from "./cluster";

// A database of its own for each test file, opened as the server opens it.
const cluster = inject("cluster");
const database = `test_${randomBytes(6).toString("hex")}`;
// On Citus, every node has a part of it.
const admins = [cluster, ...inject("workers")].map((node) =>
  postgres({ ...node, database: "postgres", max: 1, onnotice: () => {} }),
);
const onEachNode = (statement: string) =>
  Promise.all(admins.map((admin) => admin.unsafe(statement)));
await onEachNode(`create database ${database} template ${TEMPLATE_DATABASE}`);
const address = { ...cluster, database };
const release = takeDatabase(address);
openDatabase({
  address: address as DatabaseAddress,
  connectionsMax: 12,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  deadlineMs: DATABASE_DEADLINE_MS,
});

afterAll(async () => {
  await closeDatabase();
  await release();
  await onEachNode(`drop database ${database} with (force)`);
  await Promise.all(admins.map((admin) => admin.end()));
});
