import { expect, test } from "vitest";
import { ReplayInputs } from "../../../app/routes/dashboard/webhooks/webhook.inputs.server";

test("deliveries are replayed since a day that there is, and 30 February is none", () => {
  const read = (since: string) => ReplayInputs.safeParse({ since });
  expect(read(" 2026-02-28T10:30 ").data?.since).toEqual(new Date("2026-02-28T10:30:00Z"));
  for (const text of ["2026-02-30T10:30", "2026-02-28", "", "0000-01-01T00:00"]) {
    expect(read(text).error?.issues[0]?.message, text).toBe("Enter a date and a time");
  }
});
