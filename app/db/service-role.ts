import { createHash, createHmac } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Sql, TransactionSql } from "postgres";
import type { EmbeddedCluster } from "./embedded/cluster";
import { getOwnFingerprint, refuseOtherSchema } from "./migrations";
import { type DatabaseAddress, withConnectionTo } from "./pool";

// The embedded cluster has two roles. Its superuser owns the tables and migrates. This one serves: it owns nothing, and
// its rights are those that docs/operating.md gives the service's role of an external database.

const ROLE = "points_service";
const RIGHTS_FILE = path.resolve("app/db/service-rights.sql");
/** Any number, the same for every instance. */
const RIGHTS_LOCK = 7_014_024;

/**
 * Derives the role's password from the owner's, which every copy of the cluster has. The owner's does not follow
 * from it.
 */
const derivePassword = (ownersPassword: string) =>
  createHmac("sha256", ownersPassword).update(ROLE).digest("hex");

/**
 * Makes the role that serves the embedded database, and gives it its rights, unless it has those of this schema.
 * @param owner the address of a database with this code's schema
 * @returns the address with that role
 * @throws {Error} when the database is of another version
 */
export async function admitService(owner: EmbeddedCluster["connection"]): Promise<DatabaseAddress> {
  const password = derivePassword(owner.password);
  const rights = fs.readFileSync(RIGHTS_FILE, "utf8");
  const mark = createHash("sha256").update(rights).update(getOwnFingerprint()).digest("hex");
  await withConnectionTo(owner, async (pool) => {
    await refuseOtherSchema(pool);
    if (!(await hasRights(pool, mark))) {
      await pool.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(${RIGHTS_LOCK})`;
        if (await hasRights(tx, mark)) return;
        const isThere = await hasRole(tx);
        // The password consists of hexadecimal digits.
        await tx.unsafe(
          `${isThere ? "alter" : "create"} role ${ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
        );
        await tx.unsafe(rights);
        await tx.unsafe(`comment on schema drizzle is '${mark}'`);
      });
    }
  });
  return { ...owner, username: ROLE, password };
}

async function hasRole(db: Sql | TransactionSql): Promise<boolean> {
  const [row] = await db`select from pg_roles where rolname = ${ROLE}`;
  return row !== undefined;
}

/**
 * Checks whether the role has the rights of a mark, which the schema's comment says. A release that serves beside a
 * newer one leaves the newer one's.
 */
async function hasRights(db: Sql | TransactionSql, mark: string): Promise<boolean> {
  if (!(await hasRole(db))) return false;
  const [row] = await db<{ mark: string | null; isOlder: boolean }[]>`
    select obj_description('drizzle'::regnamespace, 'pg_namespace') as mark, exists (
      select from drizzle.served_schemas where is_current and fingerprint <> ${getOwnFingerprint()}
    ) as "isOlder"`;
  return row?.isOlder === true || row?.mark === mark;
}
