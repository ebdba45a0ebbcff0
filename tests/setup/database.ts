import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterAll, inject } from "vitest";
import { closeDatabase, type DatabaseAddress, openDatabase } from "../../app/db/client";
import { DATABASE_DEADLINE_MS, STATEMENT_TIMEOUT_MS } from "../../app/domain/deadline";
import { takeDatabase } from "../support/test-database";
import { TEMPLATE_DATABASE } from "./cluster";

// A database of its own for each test file, opened as the server opens it.
const cluster = inject("cluster");
const database = `test_${randomBytes(6).toString("hex")}`;
const admin = postgres({ ...cluster, database: "postgres", max: 1, onnotice: () => {} });
await admin.unsafe(`create database ${database} template ${TEMPLATE_DATABASE}`);
const address = { ...cluster, database };
const release = takeDatabase(address);
openDatabase({
  address: address as DatabaseAddress,
  connectionsMax: 10,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  deadlineMs: DATABASE_DEADLINE_MS,
});

afterAll(async () => {
  await closeDatabase();
  await release();
  await admin.unsafe(`drop database ${database} with (force)`);
  await admin.end();
});
