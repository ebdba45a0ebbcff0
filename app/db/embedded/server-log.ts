import { closeSync, openSync, readSync, statSync } from "node:fs";

const readBytesMax = 1_000_000;
const severe = / (?:ERROR|FATAL|PANIC): | was terminated by (?:signal|exception) /;
/** what clients are told while the server starts, recovers or stops */
const expected = /: {2}(?:the database system is|terminating connection)/;

function readBytes(file: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    const descriptor = openSync(file, "r");
    const count = readSync(descriptor, bytes, 0, length, offset);
    closeSync(descriptor);
    return bytes.subarray(0, count);
  } catch {
    return Buffer.alloc(0); // removed or not ours to read: no reason to bring the holder down
  }
}

/** Follows a log from its present end: each call returns the complete lines added since the last. */
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

/** Whether a line reports an error nobody caused on purpose. The lines of details, which may hold statements, never do. */
export function isSevere(line: string): boolean {
  return severe.test(line) && !expected.test(line);
}

/** Whether a line says that recovery after a crash is advancing; one comes every 10 s. */
export function isProgress(line: string): boolean {
  return /, elapsed time: [\d.]+ s/.test(line);
}

/** A line without the time and pid that it starts with. */
export function getMessage(line: string): string {
  return line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, "");
}
