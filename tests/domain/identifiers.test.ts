import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAddress } from "../../app/domain/address";
import { isTriggerKey, sanitizeTriggerKey } from "../../app/domain/point-systems/trigger-key";
import { parseUuid } from "../../app/domain/uuid";

const hex = (digits: number) =>
  fc.array(fc.constantFrom(..."0123456789abcdefABCDEF"), { minLength: digits, maxLength: digits });

test("any 40 hexadecimal digits behind 0x are an address, in lowercase", () => {
  fc.assert(
    fc.property(hex(40), (digits) => {
      expect(parseAddress(`0x${digits.join("")}`)).toBe(`0x${digits.join("").toLowerCase()}`);
    }),
  );
});

test("nothing else is an address", () => {
  const odd = ["", "0x", `0x${"0".repeat(39)}`, `0x${"0".repeat(41)}`, `0x${"0".repeat(40)}\n`];
  for (const text of [...odd, `0x${"g".repeat(40)}`, "0".repeat(42)]) {
    expect(parseAddress(text)).toBeNull();
  }
});

test("a sanitized trigger key can exist, or is empty", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), (text) => {
      const key = sanitizeTriggerKey(text);
      expect(key === "" || isTriggerKey(key)).toBe(true);
      expect(sanitizeTriggerKey(key)).toBe(key);
    }),
  );
});

test("a trigger key is sanitized as documented", () => {
  expect(sanitizeTriggerKey("Daily Login!")).toBe("daily_login");
  expect(sanitizeTriggerKey("  A  b-c.d ")).toBe("__a__bcd_");
  expect(sanitizeTriggerKey("Ünï")).toBe("n");
});

test("a UUID is read in any letter case", () => {
  expect(parseUuid("11111111-AAAA-4111-8111-111111111111")).toBe(
    "11111111-aaaa-4111-8111-111111111111",
  );
  expect(parseUuid("11111111-aaaa-4111-8111-11111111111")).toBeNull();
  expect(parseUuid("{11111111-aaaa-4111-8111-111111111111}")).toBeNull();
});
