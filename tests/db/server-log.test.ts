import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { followLog, rotateLog } from "../../app/db/embedded/server-log";

test("a long log of PostgreSQL is begun anew while it is written, and the part before is kept", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "points-log-"));
  const file = path.join(folder, "pg.log");
  try {
    appendFileSync(file, `${"x".repeat(999_999)}\n`.repeat(10));
    const server = openSync(file, "a");
    const readNewLines = followLog(file);
    rotateLog(file);
    expect(statSync(file).size).toBe(10_000_000);
    writeSync(server, "the last line of the first part\n");
    expect(readNewLines()).toEqual(["the last line of the first part"]);
    rotateLog(file);
    writeSync(server, "the first line of the next part\n");
    closeSync(server);
    expect(readFileSync(file, "utf8")).toBe("the first line of the next part\n");
    expect(readFileSync(`${file}.1`, "utf8").endsWith("\nthe last line of the first part\n")).toBe(
      true,
    );
    expect(readNewLines()).toEqual(["the first line of the next part"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a long log whose copy fails, as on a full disk, is begun anew without one", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "points-log-"));
  const file = path.join(folder, "pg.log");
  try {
    appendFileSync(file, "x".repeat(10_000_001));
    symlinkSync(path.join(folder, "missing", "pg.log.1"), `${file}.1`);
    rotateLog(file);
    expect(statSync(file).size).toBe(0);
    expect(readdirSync(folder)).toEqual(["pg.log"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
