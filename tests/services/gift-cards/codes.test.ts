import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  decryptGiftCardCode,
  encryptGiftCardCode,
  openGiftCardKeyring,
  parseGiftCardKeys,
} from "../../../app/services/gift-cards/codes";

const createKey = () => randomBytes(32).toString("hex");
const createRow = () => ({ id: randomUUID(), rewardId: randomUUID() });

describe("a code", () => {
  const keyring = parseGiftCardKeys(`k1:${createKey()}`);

  test("comes back as it was", () => {
    const row = createRow();
    for (const code of ["AAAA-BBBB", "x", "ß€😀", "9".repeat(1_000)]) {
      expect(decryptGiftCardCode(keyring, row, encryptGiftCardCode(keyring, row, code))).toBe(code);
    }
  });

  test("never gives the same ciphertext or nonce twice, and does not occur in either", () => {
    const row = createRow();
    const encrypted = Array.from({ length: 50 }, () =>
      encryptGiftCardCode(keyring, row, "AAAA-BBBB"),
    );
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
    expect(new Set(encrypted.map(({ codeNonce }) => hex(codeNonce))).size).toBe(50);
    expect(new Set(encrypted.map(({ codeCiphertext }) => hex(codeCiphertext))).size).toBe(50);
    for (const { codeCiphertext, codeNonce } of encrypted) {
      expect(codeNonce).toHaveLength(12);
      expect(Buffer.from(codeCiphertext).includes("AAAA")).toBe(false);
    }
  });

  test("does not decrypt in another row, or under another reward", () => {
    const [row, other] = [createRow(), createRow()];
    const encrypted = encryptGiftCardCode(keyring, row, "AAAA-BBBB");
    expect(() => decryptGiftCardCode(keyring, other, encrypted)).toThrow();
    expect(() => decryptGiftCardCode(keyring, { ...row, id: other.id }, encrypted)).toThrow();
    expect(() =>
      decryptGiftCardCode(keyring, { ...row, rewardId: other.rewardId }, encrypted),
    ).toThrow();
  });

  test("does not decrypt with any one bit changed, or the tag cut short", () => {
    const row = createRow();
    const encrypted = encryptGiftCardCode(keyring, row, "AAAA-BBBB");
    for (let bit = 0; bit < encrypted.codeCiphertext.length * 8; bit += 1) {
      const codeCiphertext = Uint8Array.from(encrypted.codeCiphertext);
      codeCiphertext[bit >> 3] = (codeCiphertext[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decryptGiftCardCode(keyring, row, { ...encrypted, codeCiphertext })).toThrow();
    }
    // An empty code is stored as the tag alone. The beginning of a valid tag is valid but too
    // short.
    const empty = encryptGiftCardCode(keyring, row, "");
    for (const length of [0, 4, 12, 15]) {
      const codeCiphertext = empty.codeCiphertext.slice(0, length);
      expect(() => decryptGiftCardCode(keyring, row, { ...empty, codeCiphertext })).toThrow();
    }
  });

  test("outlives a rotation of the keys, until its own key is taken away", () => {
    const row = createRow();
    const [oldKey, newKey] = [`old:${createKey()}`, `new:${createKey()}`];
    const encrypted = encryptGiftCardCode(parseGiftCardKeys(oldKey), row, "AAAA-BBBB");
    const rotated = parseGiftCardKeys(`${newKey},${oldKey}`);
    expect(decryptGiftCardCode(rotated, row, encrypted)).toBe("AAAA-BBBB");
    expect(encryptGiftCardCode(rotated, row, "CCCC").codeKeyId).toBe("new");
    expect(() => decryptGiftCardCode(parseGiftCardKeys(newKey), row, encrypted)).toThrow(
      'GIFT_CARD_KEYS has no key "old"',
    );
  });
});

describe("parseGiftCardKeys", () => {
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
      parseGiftCardKeys(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).not.toBe("");
    for (const key of text.match(/[0-9a-fg]{63,}/g) ?? []) expect(message).not.toContain(key);
  });
});

describe("openGiftCardKeyring", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = path.join(mkdtempSync(path.join(os.tmpdir(), "gift-card-keys-")), "data");
  });
  afterEach(() => rmSync(path.dirname(dataDir), { recursive: true }));

  test("the environment's keys win, and no file is made", () => {
    const key = createKey();
    const keyring = openGiftCardKeyring({ GIFT_CARD_KEYS: `k7:${key}`, DATA_DIR: dataDir });
    expect(keyring.get("k7")?.toString("hex")).toBe(key);
    expect(existsSync(dataDir)).toBe(false);
  });

  test("beside the embedded database a key is made once, for its owner's eyes only", () => {
    const first = openGiftCardKeyring({ DATA_DIR: dataDir });
    const second = openGiftCardKeyring({ DATA_DIR: dataDir });
    expect([...second]).toEqual([...first]);
    expect([...first.values()][0]).toHaveLength(32);
    expect(readdirSync(dataDir)).toEqual(["gift-card-keys"]);
    const file = path.join(dataDir, "gift-card-keys");
    expect(readFileSync(file, "utf8")).toMatch(/^k1:[0-9a-f]{64}\n$/);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("an external database needs keys of the environment", () => {
    const env = { DATABASE_URL: "postgres://localhost/points", DATA_DIR: dataDir };
    expect(() => openGiftCardKeyring(env)).toThrow("GIFT_CARD_KEYS");
    expect(existsSync(dataDir)).toBe(false);
  });
});
