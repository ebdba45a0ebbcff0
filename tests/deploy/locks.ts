import type { Sql } from "postgres";
import { waitUntil } from "../support/server-process";

/**
 * Locks the counts of ranks, and lets sessions wait for them. The session that holds the lock is found as
 * docs/operating.md says.
 * @param sql is of the superuser
 * @returns ends all of it
 */
export async function blockRankCounts(sql: Sql, waiting: number): Promise<() => Promise<void>> {
  const holder = await sql.reserve();
  await holder`begin`;
  await holder`lock table rank_counts in exclusive mode`;
  const waiters = Array.from({ length: waiting }, () =>
    sql.begin((tx) => tx`lock table rank_counts in exclusive mode`),
  );
  const [{ pid } = {}] = await holder`select pg_backend_pid() as pid`;
  const isNamed = async () => {
    const rows = await sql<{ pids: number[] }[]>`
      select pg_blocking_pids(pid) as pids from pg_stat_activity`;
    return rows.some(({ pids }) => pids.includes(pid));
  };
  await waitUntil(isNamed, 10_000);
  return async () => {
    await holder`rollback`;
    holder.release();
    await Promise.all(waiters);
  };
}
