import { type DatabaseAddress, withConnectionTo } from "./pool";

/**
 * Refuses a start whose processes may open more connections than PostgreSQL takes: under load, calls would be refused at
 * random.
 * @param wanted the connections that all processes of the start may keep
 * @throws {Error} with a message for people
 */
export async function refuseTooManyConnections(
  address: DatabaseAddress,
  wanted: number,
): Promise<void> {
  const [row] = await withConnectionTo(
    address,
    (sql) => sql<{ allowed: number }[]>`
      select sum(case when name = 'max_connections' then setting::int else -setting::int end)::int as allowed
      from pg_settings
      where name in ('max_connections', 'reserved_connections', 'superuser_reserved_connections')`,
  );
  if (!row || wanted <= row.allowed) return;
  const remedy =
    typeof address === "string"
      ? "raise max_connections"
      : "stop the processes of an earlier version, whose PostgreSQL takes fewer";
  throw new Error(
    `This start may open ${wanted} connections to PostgreSQL, whose max_connections leaves ${row.allowed}. Lower DATABASE_CONNECTIONS_MAX or WEB_CONCURRENCY, or ${remedy}.`,
  );
}
