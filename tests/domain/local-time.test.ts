import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatLocalTime,
  isTimeZone,
  listTimeZones,
  parseLocalTime,
} from "../../app/domain/local-time";

const parse = (text: string, zone: string) => {
  const moment = parseLocalTime(text, zone);
  return moment instanceof Date ? moment.toISOString() : moment;
};

describe("a time on a wall", () => {
  test.each([
    ["2026-07-01T18:30", "UTC", "2026-07-01T18:30:00.000Z"],
    ["2026-07-01T18:30:05", "Europe/Berlin", "2026-07-01T16:30:05.000Z"],
    ["2026-01-01T00:00", "Europe/Berlin", "2025-12-31T23:00:00.000Z"],
    ["2026-01-01T00:00", "Asia/Kathmandu", "2025-12-31T18:15:00.000Z"],
    ["2026-01-01T00:00", "Pacific/Kiritimati", "2025-12-31T10:00:00.000Z"],
    ["2026-02-28T23:00", "Pacific/Pago_Pago", "2026-03-01T10:00:00.000Z"],
  ])("%s in %s", (text, zone, moment) => {
    expect(parse(text, zone)).toBe(moment);
  });

  test.each([
    ["2026-03-29T02:30", "Europe/Berlin"],
    ["2026-03-08T02:00", "America/New_York"],
    ["2026-10-04T02:15", "Australia/Lord_Howe"],
    // A whole day that was skipped, at the date line.
    ["2011-12-30T12:00", "Pacific/Apia"],
  ])("that clocks jump over is none: %s in %s", (text, zone) => {
    expect(parse(text, zone)).toBe("skipped");
  });

  test.each([
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T01:30:00.000Z"],
    ["2026-11-01T01:59:59", "America/New_York", "2026-11-01T06:59:59.000Z"],
    ["2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T15:15:00.000Z"],
  ])("that comes twice is the later one: %s in %s", (text, zone, moment) => {
    expect(parse(text, zone)).toBe(moment);
  });

  test("just beside a change of clocks is what it was", () => {
    expect(parse("2026-03-29T01:59", "Europe/Berlin")).toBe("2026-03-29T00:59:00.000Z");
    expect(parse("2026-03-29T03:00", "Europe/Berlin")).toBe("2026-03-29T01:00:00.000Z");
    expect(parse("2026-10-25T01:59", "Europe/Berlin")).toBe("2026-10-24T23:59:00.000Z");
    expect(parse("2026-10-25T03:00", "Europe/Berlin")).toBe("2026-10-25T02:00:00.000Z");
  });

  test.each([
    "",
    "2026-02-30T10:00",
    "2026-13-01T10:00",
    "2026-01-01T24:00",
    "2026-01-01T10:60",
    "2026-01-01",
    "2026-01-01 10:00",
    "2026-01-01T10:00Z",
    "1969-12-31T10:00",
    "12026-01-01T10:00",
    "x",
  ])("is none: %j", (text) => {
    expect(parse(text, "UTC")).toBeNull();
  });

  test("of any moment and zone is read back as the same moment, or as its later twin", () => {
    const zones = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/St_Johns",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "Asia/Kolkata",
    );
    // The range starts on 2 January 1970: no zone then has a date before the first year of
    // deadlines.
    const seconds = fc.integer({ min: 86_400, max: 4_102_444_800 });
    fc.assert(
      fc.property(zones, seconds, (zone, second) => {
        const text = formatLocalTime(new Date(second * 1_000), zone);
        const moment = parseLocalTime(text, zone);
        expect(moment).toBeInstanceOf(Date);
        expect(formatLocalTime(moment as Date, zone)).toBe(text);
        expect(Number(moment)).toBeGreaterThanOrEqual(second * 1_000);
      }),
    );
  });
});

test("time zones are named; offsets and nonsense are none", () => {
  expect(listTimeZones()[0]).toBe("UTC");
  expect(listTimeZones().every(isTimeZone)).toBe(true);
  for (const text of ["", "+02:00", "Europe/Atlantis", "<b>", "Europe/Berlin\n"]) {
    expect(isTimeZone(text), text).toBe(false);
  }
});

test("a local time in a zone that is none is no time, so that a form can say what is wrong with the zone", () => {
  for (const zone of ["", "Mars/Olympus", "+02:00"]) {
    expect(parseLocalTime("2026-11-01T18:30", zone)).toBeNull();
  }
});

test("a moment of a year with five digits is no time, whatever the zone", () => {
  expect(parseLocalTime("9999-12-31T23:59", "America/New_York")).toBeNull();
  expect(parseLocalTime("9999-12-31T23:59", "UTC")).toEqual(new Date("9999-12-31T23:59:00Z"));
});
