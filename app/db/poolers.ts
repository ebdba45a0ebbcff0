import type { Sql } from "postgres";
import { toArrayLiteral } from "./array-literal";
import { listConnectionSettings } from "./connection-settings";
import { createPool, type DatabaseAddress } from "./pool";

const ADVICE =
  "Poolers such as PgBouncer are not supported, in any mode: name PostgreSQL itself in DATABASE_URL. Each process has a pool of its own, of DATABASE_CONNECTIONS_MAX.";
/** PgBouncer's words for settings with which a connection starts. */
const REFUSED_SETTINGS = /unsupported startup parameter/;
/** Any number of ms that PostgreSQL does not have as its default. */
const SAMPLE_TIMEOUT_MS = 3_599_000;

const getProcess = async (sql: Sql) =>
  (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid;

/**
 * Refuses a pooler between this process and PostgreSQL. One that gives a connection to another client between two
 * transactions loses locks and settings, and one that keeps connections apart does not take the settings.
 * @throws {Error} with a message for people
 */
export async function refusePoolers(address: DatabaseAddress): Promise<void> {
  // The embedded cluster is reached over its socket.
  if (typeof address !== "string") return;
  const options = {
    ...{ address, connectionsMax: 1, deadlineMs: 0 },
    statementTimeoutMs: SAMPLE_TIMEOUT_MS,
  };
  const [one, other] = [createPool(options), createPool(options)];
  try {
    const wanted = listConnectionSettings(SAMPLE_TIMEOUT_MS);
    const [names, values] = [Object.keys(wanted), Object.values(wanted)].map(toArrayLiteral);
    const [row] = await one<{ isSet: boolean }[]>`
      select bool_and(coalesce(s.setting = w.value, false)) as "isSet"
      from unnest(${names ?? ""}::text[], ${values ?? ""}::text[]) as w(name, value)
      left join pg_settings s on s.name = w.name`;
    if (!row?.isSet) throw new Error(`The settings of connections do not arrive. ${ADVICE}`);
    if ((await getProcess(one)) === (await getProcess(other))) {
      throw new Error(`Two connections are one at the database. ${ADVICE}`);
    }
  } catch (error) {
    const { message } = error as Error;
    // Without its cause, whose code is that of a database that does not answer yet.
    throw REFUSED_SETTINGS.test(message) ? new Error(`${message}. ${ADVICE}`) : error;
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  }
}
