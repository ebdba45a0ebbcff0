import fc from "fast-check";
import { bytesToHex, keccak256 as reference } from "viem";
import { expect, test } from "vitest";
import { keccak256 } from "../../../sdk/src/keccak";

const hash = (text: string) => bytesToHex(keccak256(new TextEncoder().encode(text)));

test("the SDK's keccak256 has the published values", () => {
  expect(hash("")).toBe("0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  expect(hash("abc")).toBe("0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
});

test("the SDK's keccak256 is viem's for every length around the rate's multiples", () => {
  for (let length = 0; length <= 280; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256);
    expect(bytesToHex(keccak256(bytes)), String(length)).toBe(reference(bytes));
  }
});

test("the SDK's keccak256 is viem's for random bytes, and leaves its input alone", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const before = bytesToHex(bytes);
      expect(bytesToHex(keccak256(bytes))).toBe(reference(bytes));
      expect(bytesToHex(bytes)).toBe(before);
    }),
    { numRuns: 50 },
  );
});
