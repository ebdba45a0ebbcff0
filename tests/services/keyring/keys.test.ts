import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openKeyring, parseKeys } from "../../../app/services/keyring/keys";

const createKey = () => randomBytes(32).toString("hex");

describe("parseKeys", () => {
  test.each([
    ["nothing", ""],
    ["no id", createKey()],
    ["a short key", `k1:${createKey().slice(1)}`],
    ["a key that is not hexadecimal", `k1:${"g".repeat(64)}`],
    ["a final comma", `k1:${createKey()},`],
    ["one id twice", `k1:${createKey()},k1:${createKey()}`],
  ])("refuses %s, and repeats nothing of it", (_, text) => {
    let message = "";
    try {
      parseKeys(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).not.toBe("");
    for (const key of text.match(/[0-9a-fg]{63,}/g) ?? []) expect(message).not.toContain(key);
  });
});

describe("openKeyring", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = path.join(mkdtempSync(path.join(os.tmpdir(), "gift-card-keys-")), "data");
  });
  afterEach(() => rmSync(path.dirname(dataDir), { recursive: true }));

  test("the environment's keys win, and no file is made", () => {
    const key = createKey();
    const keyring = openKeyring({ GIFT_CARD_KEYS: `k7:${key}`, DATA_DIR: dataDir });
    expect(keyring.get("k7")?.toString("hex")).toBe(key);
    expect(existsSync(dataDir)).toBe(false);
  });

  test("beside the embedded database a key is made once, for its owner's eyes only", () => {
    const first = openKeyring({ DATA_DIR: dataDir });
    const second = openKeyring({ DATA_DIR: dataDir });
    expect([...second]).toEqual([...first]);
    expect([...first.values()][0]).toHaveLength(32);
    expect(readdirSync(dataDir)).toEqual(["gift-card-keys"]);
    const file = path.join(dataDir, "gift-card-keys");
    expect(readFileSync(file, "utf8")).toMatch(/^k1:[0-9a-f]{64}\n$/);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("an external database needs keys of the environment", () => {
    const env = { DATABASE_URL: "postgres://localhost/points", DATA_DIR: dataDir };
    expect(() => openKeyring(env)).toThrow("GIFT_CARD_KEYS");
    expect(existsSync(dataDir)).toBe(false);
  });
});
