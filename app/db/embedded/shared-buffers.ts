import { totalmem } from "node:os";

const MEBIBYTE = 1024 ** 2;

/**
 * Chooses PostgreSQL's cache: a quarter of the memory, at most 4 GiB, at least 64 MiB. Memory is taken as pages are
 * read, so a small database has little of it.
 * Source: PostgreSQL documentation, "Resource Consumption", shared_buffers.
 */
export function chooseSharedBuffers(memoryBytes = getMemory()): string {
  const quarter = Math.floor(memoryBytes / 4 / MEBIBYTE);
  return `${Math.min(Math.max(quarter, 64), 4_096)}MB`;
}

/** Returns the bytes that this process may use: within a container, its limit. Node answers 0 where it knows none. */
const getMemory = () =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
