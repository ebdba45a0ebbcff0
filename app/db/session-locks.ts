import { waitInTime } from "../domain/deadline";
import { createPool, getDatabaseOptions } from "./client";

/** Locks that last as long as one connection of their own, which nothing else uses. */
export interface SessionLocks {
  /** Whether this process holds the lock now, having taken it if it was free. */
  readonly hold: (key: number) => Promise<boolean>;
  /** Gives all of them back. */
  readonly close: () => Promise<void>;
}

/** Any number, the same for every instance: the first half of the locks' names. */
const LOCK_CLASS = 7_014_022;
/** A connection that says nothing for this long is given up, with its locks. */
const ANSWER_WITHIN_MS = 5_000;

/** Connects when first asked. */
export function openSessionLocks(): SessionLocks {
  let pool: ReturnType<typeof createPool> | undefined;
  /** The connection that holds them: one that is made anew holds nothing. */
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
