import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { decryptGiftCardCode, encryptGiftCardCode } from "../../../app/services/gift-cards/codes";
import { parseKeys } from "../../../app/services/keyring/keys";

const createKey = () => randomBytes(32).toString("hex");
const createRow = () => ({ id: randomUUID(), rewardId: randomUUID() });

describe("a code", () => {
  const keyring = parseKeys(`k1:${createKey()}`);

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
    const encrypted = encryptGiftCardCode(parseKeys(oldKey), row, "AAAA-BBBB");
    const rotated = parseKeys(`${newKey},${oldKey}`);
    expect(decryptGiftCardCode(rotated, row, encrypted)).toBe("AAAA-BBBB");
    expect(encryptGiftCardCode(rotated, row, "CCCC").codeKeyId).toBe("new");
    expect(() => decryptGiftCardCode(parseKeys(newKey), row, encrypted)).toThrow(
      'GIFT_CARD_KEYS has no key "old"',
    );
  });
});
