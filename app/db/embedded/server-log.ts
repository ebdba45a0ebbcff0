import {
  closeSync,
  copyFileSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";

const logBytesMax = 10_000_000;
const readBytesMax = 1_000_000;
const severe = / (?:ERROR|FATAL|PANIC): | was terminated by (?:signal|exception) /;
/** messages to clients while the server starts, recovers or stops */
const expected = /: {2}(?:the database system is|terminating connection)/;

function readBytes(file: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    const descriptor = openSync(file, "r");
    const count = readSync(descriptor, bytes, 0, length, offset);
    closeSync(descriptor);
    return bytes.subarray(0, count);
  } catch {
    return Buffer.alloc(0); // removed or not readable: no reason to stop the holder
  }
}

/** Checks whether a log is to be rotated. */
export function isLogLong(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax;
}

/**
 * Begins a long log anew, while the server appends to it. The part before is kept beside it, as `FILE.1`, unless the
 * disk is full. Never throws: a log is no reason to stop the holder.
 */
export function rotateLog(file: string): void {
  if (!isLogLong(file)) return;
  try {
    try {
      copyFileSync(file, `${file}.1`);
    } catch {
      rmSync(`${file}.1`, { force: true }); // half a copy would take the last room
    }
    truncateSync(file);
  } catch {
    // it stays long until a holder can rotate it
  }
}

/**
 * Follows a log from its current end. Each call returns the complete lines added since the last
 * one.
 */
export function followLog(file: string): () => string[] {
  const findSize = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let offset = findSize();
  return () => {
    const size = findSize();
    if (size < offset) offset = 0; // truncated
    if (size === offset) return [];
    offset = Math.max(offset, size - readBytesMax);
    const bytes = readBytes(file, offset, size - offset);
    const end = bytes.lastIndexOf("\n") + 1;
    offset += end;
    return bytes.toString("utf8", 0, end).split("\n").filter(Boolean);
  };
}

/**
 * Checks whether a line reports an unexpected error. Lines of details, which may contain
 * statements, never match.
 */
export function isSevere(line: string): boolean {
  return severe.test(line) && !expected.test(line);
}

/** Checks whether a line reports progress of a recovery after a crash; one comes every 10 s. */
export function isProgress(line: string): boolean {
  return /, elapsed time: [\d.]+ s/.test(line);
}

/** Returns a line without its leading time and pid. */
export function getMessage(line: string): string {
  return line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, "");
}
