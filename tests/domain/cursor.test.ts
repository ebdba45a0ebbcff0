import { expect, test } from "vitest";
import { formatCursor, parseCursor } from "../../app/domain/cursor";
import { parseUuid } from "../../app/domain/uuid";

const ID = "11111111-1111-4111-8111-111111111111";

test("a place that was written is read as it was, to the millisecond", () => {
  const date = new Date("2026-03-01T12:34:56.789Z");
  const text = formatCursor({ date, id: ID });
  expect(parseCursor(text, "newer", parseUuid)).toEqual({ side: "newer", date, id: ID });
});

test.each(["", ".", ID, `1.`, `1.${ID}0`, `-1.${ID}`, `1e3.${ID}`, `999999999999999.${ID}`])(
  "%j is no place",
  (text) => {
    expect(parseCursor(text, "older", parseUuid)).toBeNull();
  },
);

test("the latest date that can be written is one that PostgreSQL reads", () => {
  const cursor = parseCursor(`99999999999999.${ID}`, "older", parseUuid);
  expect(cursor?.date.toISOString()).toBe("5138-11-16T09:46:39.999Z");
});
