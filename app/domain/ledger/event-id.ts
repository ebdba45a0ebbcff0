import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

const RANDOM_BYTES = 16;
/** The pool of random bytes: one system call fills it for this many ids. */
const pool = Buffer.alloc(256 * RANDOM_BYTES);
let poolOffset = pool.length;
let sequence = 0;

/**
 * Creates a version 7 UUID (RFC 9562). Ids made by this process ascend, also within a millisecond,
 * so that they go to the end of their index and break ties of time in order.
 */
export function createEventId(): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const random = pool.subarray(poolOffset, poolOffset + RANDOM_BYTES);
  poolOffset += RANDOM_BYTES;
  sequence = (sequence + 1) >>> 0;
  return v7({ random, msecs: Date.now(), seq: sequence });
}

/**
 * Reads the time at which an id was created.
 * @returns null for an id that `createEventId` did not make: it is of another version, or of a time after the year 9999
 */
export function readCreationTime(id: string): Date | null {
  if (id.charAt(14) !== "7") return null;
  const time = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  return time.getUTCFullYear() > 9_999 ? null : time;
}
