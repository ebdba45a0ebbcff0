import { createHash, randomBytes } from "node:crypto";
import { and, eq, inArray, sql } from "drizzle-orm";
import { type Executor, inTransaction, withDatabase } from "../db/client";
import { devices } from "../db/schema/factors";

/** The days for which a browser stays known after its last sign-in; browsers keep no cookie longer. */
const LIFE_DAYS = 400;
/** The most browsers that are known for an operator. */
const DEVICES_MAX = 50;
/** The most cookies that are looked at, so that a long header costs no long statement. */
const COOKIES_MAX = 20;

const COOKIE = /(?:^|; ?)((?:__Host-)?)(device-[0-9a-f]{8})=([\w-]{43})(?=;|$)/g;

const hashId = (id: string) => createHash("sha256").update(id).digest();

/**
 * Returns the hashes of the ids by which a browser is known. Each operator has a cookie of their own
 * name: an id that was planted for one operator is worth nothing for another.
 */
export function readDeviceHashes(cookies: string, appOrigin: string): Buffer[] {
  return listCookies(cookies, appOrigin).map(({ id }) => hashId(id));
}

/** Under https, the prefix keeps other hosts of the domain from setting these cookies. */
const getPrefix = (appOrigin: string) => (appOrigin.startsWith("https:") ? "__Host-" : "");

function listCookies(cookies: string, appOrigin: string): { name: string; id: string }[] {
  return Array.from(cookies.matchAll(COOKIE), ([, prefix, name = "", id = ""]) => ({
    prefix,
    name,
    id,
  }))
    .filter(({ prefix }) => prefix === getPrefix(appOrigin))
    .slice(0, COOKIES_MAX);
}

/** Selects the id's hash of the browser if the operator of the row signed in with it before. */
export function knownDeviceOf(operatorId: unknown, hashes: readonly Uint8Array[]) {
  if (hashes.length === 0) return sql<string | null>`null`;
  const known = and(
    sql`${devices.operatorId} = ${operatorId}`,
    inArray(devices.idHash, [...hashes]),
  );
  return sql<string | null>`(
    select encode(${devices.idHash}, 'hex') from ${devices} where ${known} limit 1
  )`;
}

/**
 * Makes a browser known, since its operator has just signed in there.
 * @returns the Set-Cookie value, and whether the operator has other browsers and not this one
 */
export async function rememberDevice(
  operatorId: string,
  cookies: string,
  appOrigin: string,
): Promise<{ cookie: string; isNew: boolean }> {
  const prefix = getPrefix(appOrigin);
  const name = `device-${hashId(operatorId).toString("hex").slice(0, 8)}`;
  const known = listCookies(cookies, appOrigin).find((cookie) => cookie.name === name)?.id;
  const seen = known !== undefined && (await touchDevice(operatorId, known));
  const id = seen ? known : randomBytes(32).toString("base64url");
  const isNew = !seen && (await insertDevice(operatorId, id));
  const attributes = `Path=/; Max-Age=${LIFE_DAYS * 86_400}; HttpOnly; SameSite=Strict`;
  return { cookie: `${prefix}${name}=${id}; ${attributes}${prefix && "; Secure"}`, isNew };
}

async function touchDevice(operatorId: string, id: string): Promise<boolean> {
  const touched = await withDatabase((db) =>
    db
      .update(devices)
      .set({ lastSeenAt: sql`now()` })
      .where(and(eq(devices.operatorId, operatorId), eq(devices.idHash, hashId(id))))
      .returning({ operatorId: devices.operatorId }),
  );
  return touched.length > 0;
}

/** Stores a browser in the place of the operator's oldest ones. Tells whether there were others. */
async function insertDevice(operatorId: string, id: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    const others = await tx.execute<{ hash: string }>(sql`
        select encode(id_hash, 'hex') as hash from ${devices}
        where operator_id = ${operatorId} order by last_seen_at desc`);
    const oldest = others.slice(DEVICES_MAX - 1).map(({ hash }) => Buffer.from(hash, "hex"));
    if (oldest.length > 0) {
      await tx
        .delete(devices)
        .where(and(eq(devices.operatorId, operatorId), inArray(devices.idHash, oldest)));
    }
    await tx
      .delete(devices)
      .where(sql`${devices.lastSeenAt} < now() - make_interval(days => ${LIFE_DAYS})`);
    await tx.insert(devices).values({ operatorId, idHash: hashId(id) });
    return others.length > 0;
  });
}

/**
 * Forgets an operator's browsers, within the caller's transaction. The rows stay, with ids that no cookie has. So the
 * operator is told of the next browser.
 */
export async function forgetDevices(executor: Executor, operatorId: string): Promise<void> {
  await executor
    .update(devices)
    .set({ idHash: sql`sha256(uuid_send(gen_random_uuid()))` })
    .where(eq(devices.operatorId, operatorId));
}
