import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { distributeDatabase } from "../../app/db/citus/distribute";
import { holdEmbeddedCluster } from "../../app/db/embedded/cluster";
import { migrateDatabase } from "../../app/db/migrations";
import type { DatabaseAddress } from "../../app/db/pool";
import { SETTINGS_OF_DISTRIBUTED, startCitus } from "../support/citus";
import { type ClusterAddress, readClusterAddress } from "../support/cluster-address";

declare module "vitest" {
  interface ProvidedContext {
    cluster: ClusterAddress;
    /** The workers of Citus; none on plain PostgreSQL. */
    workers: readonly ClusterAddress[];
  }
}

export const TEMPLATE_DATABASE = "points_template";

/**
 * One PostgreSQL for the run, with one migrated template that every test file clones: the embedded
 * one, or that of TEST_DATABASE_URL, whose role must be allowed to create databases.
 */
export default async function startCluster(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.TEST_ENGINE === "citus") return startOnCitus(project);
  const { address, stop } = process.env.TEST_DATABASE_URL
    ? { address: readClusterAddress(process.env.TEST_DATABASE_URL), stop: async () => {} }
    : await startEmbedded();
  const admin = postgres({ ...address, database: "postgres", max: 1, onnotice: () => {} });
  await admin.unsafe(`drop database if exists ${TEMPLATE_DATABASE} with (force)`);
  await admin.unsafe(`create database ${TEMPLATE_DATABASE}`);
  await migrateDatabase({ ...address, database: TEMPLATE_DATABASE } as DatabaseAddress);
  const [{ version } = { version: "?" }] = await admin<{ version: string }[]>`
    select current_setting('server_version') as version`;
  console.log(`Testing on PostgreSQL ${version}`);
  await admin.end();
  project.provide("cluster", address);
  project.provide("workers", []);
  return stop;
}

/** A coordinator and two workers of Citus, with one distributed template. */
async function startOnCitus(project: TestProject): Promise<() => Promise<void>> {
  const citus = await startCitus({ settings: SETTINGS_OF_DISTRIBUTED });
  const { address } = citus.coordinator;
  await citus.createDatabase(TEMPLATE_DATABASE);
  const template = { ...address, database: TEMPLATE_DATABASE } as DatabaseAddress;
  await migrateDatabase(template);
  await distributeDatabase(template, () => {});
  await citus.closeDatabase(TEMPLATE_DATABASE);
  console.log("Testing on Citus: a coordinator and two workers");
  project.provide("cluster", address);
  project.provide(
    "workers",
    citus.workers.map((worker) => worker.address),
  );
  return async () => citus.end();
}

async function startEmbedded() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "points-test-"));
  fs.chmodSync(dataDir, 0o755);
  const cluster = await holdEmbeddedCluster({
    dataDir,
    // Speed over durability: what is tested on this cluster does not crash it.
    settings: { fsync: "off", full_page_writes: "off", shared_buffers: "64MB" },
  });
  const { host, port, username, password } = cluster.connection;
  return {
    address: { host, port, username, password },
    async stop() {
      await cluster.release();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
