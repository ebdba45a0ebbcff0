import { expect, test } from "vitest";
import { describeDifference } from "../../../app/domain/ledger/difference";

const pointSystemId = "11111111-1111-4111-8111-111111111111";

test("a difference is a line with both values", () => {
  const place = { pointSystemId, address: "0xaa", field: "points" };
  expect(describeDifference({ ...place, stored: "30", recomputed: "25" })).toBe(
    `${pointSystemId} 0xaa: points is 30, should be 25`,
  );
  expect(describeDifference({ ...place, address: null, stored: null, recomputed: "25" })).toBe(
    `${pointSystemId}: points is absent, should be 25`,
  );
});

test("a list of thousands of counts is a short line, which shows where the two differ", () => {
  const counts = Array.from({ length: 3_000 }, (_, i) => 3_000 - i);
  const stored = `{${counts.with(2_000, 7777).join(",")}}`;
  const line = describeDifference({
    ...{ pointSystemId, address: null, field: "wallets from each band on" },
    ...{ stored, recomputed: `{${counts.join(",")}}` },
  });
  expect(line.length).toBeLessThan(250);
  expect(line).toContain("1001,7777,999");
  expect(line).toContain("1001,1000,999");
});
