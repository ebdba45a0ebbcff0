import { randomBytes } from "node:crypto";
import { distributeDatabase } from "../../../app/db/citus/distribute";
import { migrateDatabase } from "../../../app/db/migrations";
import type { DatabaseAddress } from "../../../app/db/pool";
import { createCitusDatabase, runOn, toUrl } from "../citus";
import type { ClusterAddress } from "../cluster-address";
import type { ServerDatabase } from "../server-process";

/** Creates the database of a server: a distributed one where the run has Citus, else none, for the embedded one. */
export async function createServerDatabase(): Promise<{
  readonly env: ServerDatabase;
  readonly drop: () => Promise<void>;
}> {
  if (!process.env.TEST_CITUS_NODES) return { env: {}, drop: async () => {} };
  const nodes: ClusterAddress[] = JSON.parse(process.env.TEST_CITUS_NODES);
  const name = `e2e_${randomBytes(6).toString("hex")}`;
  await createCitusDatabase(nodes, name);
  const address = { ...nodes[0], database: name } as DatabaseAddress;
  await migrateDatabase(address);
  await distributeDatabase(address, () => {});
  return {
    env: {
      DATABASE_URL: toUrl(address),
      GIFT_CARD_KEYS: `k1:${randomBytes(32).toString("hex")}`,
    },
    drop: () => runOn(nodes, "postgres", `drop database if exists ${name} with (force)`),
  };
}
