import { waitInTime } from "../domain/deadline";
import { createPool, getDatabaseOptions } from "./client";

/** Locks that last as long as their own connection, which has no other use. */
export interface SessionLocks {
  /** Takes the lock if it is free. Returns true while this process holds it. */
  readonly hold: (key: number) => Promise<boolean>;
  /** Releases all of them. */
  readonly close: () => Promise<void>;
}

/** The first half of the locks' names: an arbitrary number, the same for every instance. */
const LOCK_CLASS = 7_014_022;
/** A connection that does not answer for this long is abandoned with its locks. */
const ANSWER_WITHIN_MS = 5_000;

/** Opens session locks. The connection is made on first use. */
export function openSessionLocks(): SessionLocks {
  let pool: ReturnType<typeof createPool> | undefined;
  /** The server process of the connection that holds the locks. A new connection holds none. */
  let backend = 0;
  let held = new Set<number>();

  async function ask(key: number): Promise<boolean> {
    pool ??= createPool({ ...getDatabaseOptions(), connectionsMax: 1 });
    const [row] = await pool<{ backend: number; isFree: boolean }[]>`
      select pg_backend_pid() as backend,
        case when pg_backend_pid() = ${backend} and ${held.has(key)} then true
          else pg_try_advisory_lock(${LOCK_CLASS}, ${key}) end as "isFree"`;
    if (!row) return false;
    if (row.backend !== backend) {
      backend = row.backend;
      held = new Set();
    }
    if (row.isFree) held.add(key);
    return row.isFree;
  }

  async function close(): Promise<void> {
    const closing = pool;
    pool = undefined;
    backend = 0;
    held = new Set();
    await closing?.end({ timeout: 1 }).catch(() => {});
  }

  return {
    async hold(key) {
      try {
        const isStuck = () => new Error("The lock's connection is stuck");
        return await waitInTime(ask(key), ANSWER_WITHIN_MS, isStuck);
      } catch {
        await close();
        return false;
      }
    },
    close,
  };
}
