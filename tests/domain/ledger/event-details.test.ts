import { expect, test } from "vitest";
import { parseOccurredAt } from "../../../app/domain/ledger/event-details";

test("a time of a day that does not exist is none", () => {
  const now = new Date("2028-03-03T00:00:00Z");
  const parse = (text: string) => parseOccurredAt(text, now)?.toISOString() ?? null;
  expect(parse("2028-02-30T10:00:00Z")).toBeNull();
  expect(parse("2028-02-00T10:00:00Z")).toBeNull();
  expect(parse("2028-13-01T10:00:00Z")).toBeNull();
  expect(parse("2028-02-29T10:00Z")).toBe("2028-02-29T10:00:00.000Z");
  expect(parse("2028-03-01T00:30:00+01:00")).toBe("2028-02-29T23:30:00.000Z");
});
